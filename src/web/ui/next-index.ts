/**
 * Index that an arrow key leads to among `count` items in a row; undefined if the key has no meaning.
 * @param current -1 if none is current: the next is then the first, the previous the last
 */
export function nextIndex(
  key: string,
  current: number,
  count: number,
  { wraps = false, axis = 'both' }: { readonly wraps?: boolean; readonly axis?: 'x' | 'y' | 'both' } = {},
): number | undefined {
  if (count === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = stepOf(key, axis);
  if (step === undefined) return undefined;
  if (current < 0) return step > 0 ? 0 : count - 1;
  const next = current + step;
  return wraps ? (next + count) % count : Math.min(count - 1, Math.max(0, next));
}

function stepOf(key: string, axis: 'x' | 'y' | 'both'): 1 | -1 | undefined {
  if (axis !== 'x' && key === 'ArrowDown') return 1;
  if (axis !== 'x' && key === 'ArrowUp') return -1;
  if (axis !== 'y' && key === 'ArrowRight') return 1;
  return axis !== 'y' && key === 'ArrowLeft' ? -1 : undefined;
}
