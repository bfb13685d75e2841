import { Chalk, type ChalkInstance } from 'chalk';
import { safelyFixable } from '../../diagnostic/apply-fixes.js';
import { counted } from '../../diagnostic/counted.js';
import { countDiagnostics, type Diagnostic, findingKind, isQuiet } from '../../diagnostic/diagnostic.js';
import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { groupBy } from '../../diagnostic/group-by.js';
import { groupFindings } from '../../diagnostic/group-findings.js';
import { renderPretty } from '../../diagnostic/render-pretty.js';
import { renderSummary } from '../../diagnostic/render-summary.js';

export interface FindingsTextOptions {
  readonly color: boolean;
  /** Width of the terminal; unset if there is none. */
  readonly width?: number | undefined;
  readonly verbose?: boolean | undefined;
  /** Number of files to name in the last line; unset if the reader knows which file it is about. */
  readonly fileCount?: number | undefined;
  /** Command that makes the fixes of the findings; unset if there is none to suggest. */
  readonly fixCommand?: string | undefined;
}

/** Rows of the table of rules. */
const mostRules = 10;

/**
 * Report of findings for a person: the findings, the rules that found many, the number of findings, and what a call of
 * lint would fix and show.
 */
export function findingsText(files: readonly FileDiagnostics[], options: FindingsTextOptions): string {
  const { color, width, verbose = false, fileCount } = options;
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const all = files.flatMap(({ diagnostics }) => diagnostics);
  const seen = verbose ? all : all.filter((one) => !isQuiet(one));
  const listed = verbose ? 0 : countListed(files);
  const lines = [
    ...(listed === 0 ? [] : ruleTable(seen, chalk)),
    renderSummary(countDiagnostics(seen), fileCount, color),
    ...hints(seen, listed, options.fixCommand).map((hint) => chalk.dim(`  ${hint}`)),
  ];
  return `${renderPretty(files, { color, width, verbose, showsProofs: verbose })}${lines.join('\n')}\n`;
}

function countListed(files: readonly FileDiagnostics[]): number {
  const shownBefore = new Map<string, number>();
  return files
    .flatMap(({ diagnostics }) => groupFindings(diagnostics, shownBefore))
    .reduce((sum, { rest }) => sum + rest.length, 0);
}

/** Rules with the number of their findings, the most frequent first. */
function ruleTable(diagnostics: readonly Diagnostic[], chalk: ChalkInstance): readonly string[] {
  const rules = [...groupBy(diagnostics, findingKind)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  if (rules.length === 1) return [];
  const width = String(rules[0]?.[1].length ?? 0).length + 2;
  const rows = rules
    .slice(0, mostRules)
    .map(([rule, found]) => `${String(found.length).padStart(width)}  ${rule}${fixableNote(found, chalk)}`);
  const others = rules.slice(mostRules).reduce((sum, [, found]) => sum + found.length, 0);
  const last =
    others === 0
      ? []
      : [`${String(others).padStart(width)}  of ${counted(rules.length - mostRules, 'other rule')}`];
  return [...rows, ...last, ''];
}

function fixableNote(found: readonly Diagnostic[], chalk: ChalkInstance): string {
  const fixable = safelyFixable(found).length;
  if (fixable === 0) return '';
  return chalk.dim(fixable === found.length ? '  (--fix)' : `  (--fix: ${fixable})`);
}

/** Sentences about calls that fix or show more. */
function hints(
  diagnostics: readonly Diagnostic[],
  listed: number,
  fixCommand: string | undefined,
): readonly string[] {
  const fixable = safelyFixable(diagnostics).length;
  const all =
    fixable === diagnostics.length ? (fixable === 1 ? 'it' : 'all') : `${fixable} of ${diagnostics.length}`;
  return [
    ...(fixCommand === undefined || fixable === 0 ? [] : [`\`${fixCommand}\` fixes ${all}`]),
    ...(listed === 0 ? [] : [`\`attractor lint --verbose\` shows the other ${listed} in full`]),
  ];
}
