import { diffArrays } from 'diff';

export interface LineChange {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Lines removed and added, above which finding the shortest difference would take too long; the part between is
 * shown as replaced.
 */
const mostChanges = 2000;

/** Lines of two texts, with a sign for each that only one of them has. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
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

/** Indices of the lines that changed or are at most `context` lines away from one that did. */
export function nearChanges(changes: readonly LineChange[], context: number): ReadonlySet<number> {
  const near = new Set<number>();
  for (const [index, { sign }] of changes.entries()) {
    if (sign === ' ') continue;
    for (let line = index - context; line <= index + context; line += 1) near.add(line);
  }
  return near;
}

/** Shortest difference; undefined if it is too long to be found. */
function between(removed: string[], added: string[]): readonly LineChange[] | undefined {
  const changes = diffArrays(removed, added, { maxEditLength: mostChanges });
  return changes?.flatMap(({ added, removed, value }) => lines(added ? '+' : removed ? '-' : ' ', value));
}

function lines(sign: LineChange['sign'], texts: readonly string[]): readonly LineChange[] {
  return texts.map((text) => ({ sign, text }));
}
