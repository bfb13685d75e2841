const units = [
  { name: 'd', milliseconds: 86_400_000 },
  { name: 'h', milliseconds: 3_600_000 },
  { name: 'min', milliseconds: 60_000 },
  { name: 's', milliseconds: 1000 },
] as const;

/** A length of time in its largest unit, rounded: `30 s`, `1.5 h`. */
export function describeDuration(milliseconds: number): string {
  const unit = units.find((one) => milliseconds >= one.milliseconds);
  if (unit === undefined) return `${Math.round(milliseconds)} ms`;
  return `${Math.round((milliseconds / unit.milliseconds) * 10) / 10} ${unit.name}`;
}
