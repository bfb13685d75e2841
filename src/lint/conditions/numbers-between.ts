import type { JsonValue } from '../../graph/json.js';

/**
 * The given numbers, one between every two neighbours, one below all of them and one above; whole ones if
 * possible.
 */
export function numbersBetween(points: readonly number[]): readonly JsonValue[] {
  const sorted = [...new Set(points)].sort((one, other) => one - other);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return [];
  const candidates = [
    ...sorted,
    lowest - Math.max(1, Math.abs(lowest)),
    highest + Math.max(1, Math.abs(highest)),
  ];
  for (const [index, low] of sorted.entries()) {
    const high = sorted[index + 1];
    const middle = high === undefined ? undefined : between(low, high);
    if (middle !== undefined) candidates.push(middle);
  }
  return [...new Set(candidates)].map(jsonOf);
}

function between(low: number, high: number): number | undefined {
  const middle = low / 2 + high / 2;
  const integer = [Math.floor(low) + 1, Math.floor(middle)].find((value) => low < value && value < high);
  if (integer !== undefined) return integer;
  return low < middle && middle < high ? middle : undefined;
}

/** Number as JSON, or a text that spells an infinite one, which JSON does not have. */
function jsonOf(value: number): JsonValue {
  if (Number.isFinite(value)) return value;
  return value > 0 ? '1e999' : '-1e999';
}
