import { counted } from '../../diagnostic/counted.js';
import { countDiagnostics, type Diagnostic, findingKind, isQuiet } from '../../diagnostic/diagnostic.js';
import { lineRange } from '../../diagnostic/render-json.js';
import type { SourceText } from '../../diagnostic/source.js';

/** Finding with its number, by which other calls name it. */
export interface NumberedFinding {
  /** From 1, in the order of the text. */
  readonly number: number;
  readonly diagnostic: Diagnostic;
}

/** Most findings of one answer: errors come first, and what is left out is counted. */
const mostFindings = 25;

/** Findings for people and models, without hints that hold for most pipelines. */
export function numberedFindings(diagnostics: readonly Diagnostic[]): readonly NumberedFinding[] {
  return diagnostics
    .filter((diagnostic) => !isQuiet(diagnostic))
    .map((diagnostic, index) => ({ number: index + 1, diagnostic }));
}

/** Findings of an answer: as many as fit, errors before others, in the order of the text. */
function shownFindings(findings: readonly NumberedFinding[]): readonly NumberedFinding[] {
  const ranks = { error: 0, warning: 1, info: 2 };
  return findings
    .toSorted((one, other) => ranks[one.diagnostic.severity] - ranks[other.diagnostic.severity])
    .slice(0, mostFindings)
    .toSorted((one, other) => one.number - other.number);
}

/** Summary of findings: `2 errors, 1 warning`. */
export function countText(findings: readonly NumberedFinding[]): string {
  const { errors, warnings, infos } = countDiagnostics(findings.map(({ diagnostic }) => diagnostic));
  const counts = [
    errors > 0 ? counted(errors, 'error') : '',
    warnings > 0 ? counted(warnings, 'warning') : '',
    infos > 0 ? counted(infos, 'hint') : '',
  ].filter((text) => text !== '');
  return counts.length === 0 ? 'no findings' : counts.join(', ');
}

/** Findings as text: the place, the message, and the remedy of each. */
export function findingsText(findings: readonly NumberedFinding[], source: SourceText): string {
  const shown = shownFindings(findings);
  const rest = findings.length - shown.length;
  const lines = shown.flatMap((finding) => findingLines(finding, source));
  return [...lines, ...(rest === 0 ? [] : [`and ${rest} more`])].join('\n');
}

function findingLines({ number, diagnostic }: NumberedFinding, source: SourceText): readonly string[] {
  const { severity, message, related = [], witness } = diagnostic;
  const place = placeOf(diagnostic, source);
  const notes = related.map((one) => `   note ${placeOf(one, one.source ?? source)}: ${one.message}`);
  return [
    `${number}. ${place} ${severity} ${findingKind(diagnostic)}: ${message}`,
    ...notes,
    ...remedyLines(number, diagnostic),
    ...(witness === undefined ? [] : [`   a run shows this: explain with finding=${number}`]),
  ];
}

function remedyLines(number: number, { fix }: Diagnostic): readonly string[] {
  if (fix === undefined) return [];
  switch (remedyKind(fix)) {
    case 'safe':
      return [`   fix applies: ${fix.title}`];
    case 'guess':
      return [`   fix with findings=[${number}] applies, if intended: ${fix.title}`];
    case 'by_hand':
      return [`   to do: ${fix.title}`];
  }
}

function remedyKind({ edits, unsafe }: NonNullable<Diagnostic['fix']>): 'safe' | 'guess' | 'by_hand' {
  if (edits.length === 0) return 'by_hand';
  return unsafe === true ? 'guess' : 'safe';
}

function placeOf({ span }: Pick<Diagnostic, 'span'>, source: SourceText): string {
  const { line, column } = source.positionAt(span.start);
  return `${line}:${column}`;
}

/** Findings as data: lines and columns from 1, the end after the last character. */
export function findingsData(findings: readonly NumberedFinding[], source: SourceText) {
  const counts = countDiagnostics(findings.map(({ diagnostic }) => diagnostic));
  const shown = shownFindings(findings);
  return {
    errors: counts.errors,
    warnings: counts.warnings,
    hints: counts.infos,
    omitted: findings.length - shown.length,
    findings: shown.map(({ number, diagnostic }) => {
      const { severity, message, span, nodeId, fix, witness } = diagnostic;
      const remedy = fix && {
        kind: remedyKind(fix),
        title: fix.title,
        edits: fix.edits.map((edit) => ({ ...lineRange(edit.span, source), text: edit.text })),
      };
      return {
        number,
        rule: findingKind(diagnostic),
        severity,
        message,
        ...lineRange(span, source),
        node_id: nodeId,
        remedy,
        has_witness: witness !== undefined,
      };
    }),
  };
}
