const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A duration as a pipeline says it: `45s`, `2h`; the largest unit of which it is a whole number. @param milliseconds not negative */
export function durationText(milliseconds: number): string {
  const unit = units.find(([, length]) => milliseconds >= length && milliseconds % length === 0);
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / unit[1]}${unit[0]}`;
}
