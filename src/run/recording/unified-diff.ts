const contextLines = 2;
const mostLines = 40;
const longestLine = 200;
/**
 * Maximum of cells, above which finding the shortest difference would take too long; the part between is
 * shown as replaced.
 */
const mostCells = 4_000_000;

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Line diff of two texts, as far as a person reads it: the first changes with their context. */
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
  return [
    ...before.slice(0, start).map(kept),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(kept),
  ];
}

function kept(text: string): Line {
  return { sign: ' ', text };
}

/** Difference by the longest common subsequence, from its lengths after each pair of positions. */
function between(before: readonly string[], after: readonly string[]): readonly Line[] {
  const gone = before.map((text): Line => ({ sign: '-', text }));
  const come = after.map((text): Line => ({ sign: '+', text }));
  if (before.length * after.length > mostCells) return [...gone, ...come];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [left, right] = [gone[row], come[column]];
    if (left !== undefined && right !== undefined && left.text === right.text) {
      lines.push(kept(left.text));
      [row, column] = [row + 1, column + 1];
    } else if (
      left !== undefined &&
      (right === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      lines.push(left);
      row += 1;
    } else if (right !== undefined) {
      lines.push(right);
      column += 1;
    }
  }
  return lines;
}
