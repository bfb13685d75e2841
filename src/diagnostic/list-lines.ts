import type { Diagnostic } from './diagnostic.js';
import { groupBy } from './group-by.js';
import { differingName } from './group-findings.js';
import { printable } from './printable.js';
import type { SourceText } from './source.js';
import { textColumns } from './text-columns.js';

/** Terminal lines that a list may take. */
const mostLines = 2;

/**
 * List of findings that have the same cause as one that is shown, by their lines: `lines 12, 14, …`. What they name stands
 * before the lines if it differs: `"a" (line 12), "b" (lines 14, 15)`.
 * @param width of a terminal line
 */
export function listLines(
  findings: readonly Diagnostic[],
  shown: Diagnostic,
  source: SourceText,
  width: number,
): string {
  const named = groupBy(findings, (one) => differingName(one, shown));
  const entries = [...named].flatMap(([name, group]) => {
    const lines = [...new Set(group.map(({ span }) => source.positionAt(span.start).line))];
    const word = lines.length === 1 ? 'line' : 'lines';
    if (name !== undefined) return [`${printable(name)} (${word} ${lines.join(', ')})`];
    return lines.map((line, index) => (index === 0 ? `${word} ${line}` : String(line)));
  });
  const room = width * mostLines - textColumns('1000 more: , …');
  let used = 0;
  const fitting = entries.filter((entry) => {
    used += textColumns(entry) + 2;
    return used <= room;
  });
  if (fitting.length === entries.length) return entries.join(', ');
  return [...(fitting.length === 0 ? entries.slice(0, 1) : fitting), '…'].join(', ');
}
