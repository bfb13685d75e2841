import type { JsonValue } from '../../graph/json.js';

/** The given numbers, one between every two neighbours, one below all of them and one above; whole ones where there are. */
export function numbersBetween(points: readonly number[]): readonly JsonValue[] {
  const sorted = [...new Set(points)].sort((one, other) => one - other);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return [];
  const found = [...sorted, lowest - Math.max(1, Math.abs(lowest)), highest + Math.max(1, Math.abs(highest))];
  for (const [index, low] of sorted.entries()) {
    const high = sorted[index + 1];
    const middle = high === undefined ? undefined : between(low, high);
    if (middle !== undefined) found.push(middle);
  }
  return [...new Set(found)].map(jsonOf);
}

function between(low: number, high: number): number | undefined {
  const middle = low / 2 + high / 2;
  const whole = [Math.floor(low) + 1, Math.floor(middle)].find((value) => low < value && value < high);
  if (whole !== undefined) return whole;
  return low < middle && middle < high ? middle : undefined;
}

/** JSON has no infinite numbers, but texts that spell one. */
function jsonOf(value: number): JsonValue {
  if (Number.isFinite(value)) return value;
  return value > 0 ? '1e999' : '-1e999';
}
