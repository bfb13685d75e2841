/**
 * Time as ISO 8601; empty for an invalid one in a damaged journal.
 * @param time milliseconds since 1970
 */
export function isoTime(time: number): string {
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
