import type { RefusedPosition } from './ast.js';

/** Description of a position where a value cannot be inserted (SEMANTICS §12), with the alternative. */
export function describeRefusedPlace(place: RefusedPosition): string {
  return descriptions[place];
}

const assign = 'put it into a variable at the beginning of the command and use that variable here';

const descriptions: Readonly<Record<RefusedPosition, string>> = {
  quoted_here_document: `in a here-document whose delimiter is quoted, where the shell expands no variables; write the delimiter without quotes`,
  here_document_delimiter: 'in the delimiter of a here-document; write a fixed word there',
  ansi_string: "within $'…', which shells read in different ways; use double quotes",
  parameter_expansion: `in an expansion that may read it as a pattern or as a number; ${assign}`,
  backticks: 'within backticks that have backslashes; use $(…) instead of the backticks',
  unclear: `after quotes that shells read in different ways; ${assign}`,
};
