import { Chalk } from 'chalk';
import { countDiagnostics, hasErrors } from '../../diagnostic/diagnostic.js';
import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { printable } from '../../diagnostic/printable.js';
import { renderPretty } from '../../diagnostic/render-pretty.js';
import { renderSummary } from '../../diagnostic/render-summary.js';
import { severityPaint } from '../../diagnostic/severity-paint.js';
import { wrapColumns } from '../../diagnostic/text-columns.js';
import { describeFinding, type Finding } from '../../setup/preflight/finding.js';

/** Everything that was found about a run before it begins. */
export interface FoundBefore extends FileDiagnostics {
  readonly findings: readonly Finding[];
}

export interface PreflightTextOptions {
  readonly color: boolean;
  /** Width of the terminal; unset if there is none. */
  readonly width?: number | undefined;
  /** End of the last line, such as `; nothing was started`. */
  readonly ending?: string;
}

/**
 * Report of what was found about a run, for a person (SEMANTICS 121): the findings of lint, those of the
 * preflight, and the number of both. Notes of lint are left out if it has no error.
 */
export function preflightText(found: FoundBefore, options: PreflightTextOptions): string {
  const { source, findings } = found;
  const { color, ending = '' } = options;
  const isInvalid = hasErrors(found.diagnostics);
  const diagnostics = found.diagnostics.filter(({ severity, quiet }) =>
    isInvalid ? !quiet : severity !== 'info',
  );
  const summary = renderSummary(countDiagnostics([...diagnostics, ...findings]), undefined, color);
  const shown = findings.map((finding, index) =>
    findingText(finding, findings[index + 1], source.name, options),
  );
  return `${renderPretty([{ source, diagnostics }], options)}${shown.join('')}${summary}${ending}\n`;
}

/** @param next finding below, which says what to do if it is the same */
function findingText(
  { check, severity, help, ...finding }: Finding,
  next: Finding | undefined,
  file: string,
  { color, width }: PreflightTextOptions,
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const wrapped = (text: string, margin: string): string =>
    width === undefined ? text : wrapColumns(text, width - margin.length).join(`\n${margin}`);
  const kind = `${severity}[${check}]`;
  const header = wrapped(`${printable(file)}: ${kind}: ${printable(describeFinding(finding))}`, '    ')
    .split(kind)
    .map((part) => chalk.bold(part))
    .join(chalk.bold(severityPaint(chalk, severity)(kind)));
  if (help === undefined) return `${header}\n\n`;
  if (help === next?.help && severity === next.severity) return `${header}\n`;
  const remedy = wrapped(`= help: ${printable(help)}`, '    ').replace(
    '= help:',
    `${chalk.dim('=')} ${chalk.bold('help:')}`,
  );
  return `${header}\n  ${remedy}\n\n`;
}
