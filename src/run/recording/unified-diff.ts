import { lineChanges, nearChanges } from '../../view/conversation/line-changes.js';

const contextLines = 2;
const mostLines = 40;
const longestLine = 200;

/** Line diff of two texts, for people: the first changes with their context. */
export function unifiedDiff(before: string, after: string): string {
  const lines = lineChanges(before.split('\n'), after.split('\n'));
  const isNear = nearChanges(lines, contextLines);
  const hunks: string[] = [];
  for (const [index, { sign, text }] of lines.entries()) {
    if (!isNear.has(index)) {
      if (hunks.at(-1) !== gap && hunks.length > 0) hunks.push(gap);
      continue;
    }
    if (hunks.length >= mostLines) return [...hunks, '… and more'].join('\n');
    hunks.push(`${sign}${text.length > longestLine ? `${text.slice(0, longestLine)}…` : text}`);
  }
  if (hunks.at(-1) === gap) hunks.pop();
  return hunks.join('\n');
}

const gap = '…';
