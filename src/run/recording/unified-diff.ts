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
  const shown: string[] = [];
  for (const [index, { sign, text }] of lines.entries()) {
    if (!isNear.has(index)) {
      if (shown.at(-1) !== gap && shown.length > 0) shown.push(gap);
      continue;
    }
    if (shown.length >= mostLines) return [...shown, '… and more'].join('\n');
    shown.push(`${sign}${text.length > longestLine ? `${text.slice(0, longestLine)}…` : text}`);
  }
  if (shown.at(-1) === gap) shown.pop();
  return shown.join('\n');
}

const gap = '…';

function nearChanges(lines: readonly Line[]): ReadonlySet<number> {
  const near = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let at = index - contextLines; at <= index + contextLines; at += 1) near.add(at);
  }
  return near;
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
  const [gone, come] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    ...lines(' ', before.slice(0, start)),
    ...(between(gone, come) ?? [...lines('-', gone), ...lines('+', come)]),
    ...lines(' ', before.slice(before.length - end)),
  ];
}

/** Shortest difference; undefined if it is too long to be found. */
function between(gone: string[], come: string[]): readonly Line[] | undefined {
  const changes = diffArrays(gone, come, { maxEditLength: mostChanges });
  return changes?.flatMap(({ added, removed, value }) => lines(added ? '+' : removed ? '-' : ' ', value));
}

function lines(sign: Line['sign'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ sign, text }));
}
