import { type Diagnostic, findingKind, isQuiet, type RelatedLocation, type Severity } from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { printable } from './printable.js';
import { lineRange } from './render-json.js';
import type { SourceText } from './source.js';
import { workflowCommand } from './workflow-command.js';

const commandOf: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/**
 * Diagnostics as workflow commands of GitHub Actions, which become annotations of the lines: the output of
 * `lint --format github`. The message begins with its position, because the log of a job shows no other.
 * @param pathOf path of a file from the root of the repository
 */
export function renderGithub(
  files: readonly FileDiagnostics[],
  pathOf: (name: string) => string = (name) => name,
): string {
  const lines = files.flatMap(({ source, diagnostics }) =>
    diagnostics
      .filter((diagnostic) => !isQuiet(diagnostic))
      .map((diagnostic) => commandFor(diagnostic, source, pathOf)),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function commandFor(diagnostic: Diagnostic, source: SourceText, pathOf: (name: string) => string): string {
  const file = pathOf(source.name);
  const { severity, message, span, related = [], fix } = diagnostic;
  const { line, column, end_line, end_column } = lineRange(span, source);
  const kind = findingKind(diagnostic);
  // Columns apply only to a finding within one line.
  const isOneLine = line === end_line;
  const properties = {
    file,
    line,
    endLine: end_line,
    col: isOneLine ? column : undefined,
    endColumn: isOneLine ? end_column : undefined,
    title: kind,
  };
  const help = fix === undefined ? '' : `\nhelp: ${printable(fix.title)}`;
  const notes = related.map((one) => note(one, source, pathOf)).join('');
  const text = `${file}:${line}:${column}: ${printable(message)} [${kind}]${notes}${help}`;
  return workflowCommand(commandOf[severity], properties, text);
}

/** Related place in another file, which the annotation does not show otherwise. */
function note(
  { message, span, source: other }: RelatedLocation,
  source: SourceText,
  pathOf: (name: string) => string,
): string {
  if (other === undefined || other === source) return '';
  const { line, column } = other.positionAt(span.start);
  return `\nnote: ${pathOf(other.name)}:${line}:${column}: ${printable(message)}`;
}
