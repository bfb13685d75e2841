import { diffArrays } from 'diff';

const contextLines = 2;
const mostLines = 40;
const longestLine = 200;
/**
 * Lines removed and added, above which finding the shortest difference would take too long; the part between is
 * shown as replaced.
 */
const mostChanges = 2000;

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Line diff of two texts, for people: the first changes with their context. */
export function unifiedDiff(before: string, after: string): string {
  const lines = changesOf(before.split('\n'), after.split('\n'));
  const isNear = nearChanges(lines);
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

function nearChanges(lines: readonly Line[]): ReadonlySet<number> {
  const visibleLines = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let lineIndex = index - contextLines; lineIndex <= index + contextLines; lineIndex += 1)
      visibleLines.add(lineIndex);
  }
  return visibleLines;
}

function changesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    ...lines(' ', before.slice(0, start)),
    ...(between(removed, added) ?? [...lines('-', removed), ...lines('+', added)]),
    ...lines(' ', before.slice(before.length - end)),
  ];
}

/** Shortest difference; undefined if it is too long to be found. */
function between(removed: string[], added: string[]): readonly Line[] | undefined {
  const changes = diffArrays(removed, added, { maxEditLength: mostChanges });
  return changes?.flatMap(({ added, removed, value }) => lines(added ? '+' : removed ? '-' : ' ', value));
}

function lines(sign: Line['sign'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ sign, text }));
}
