/** A time as ISO 8601; empty for one that a damaged journal does not tell. @param at milliseconds since 1970 */
export function isoTime(at: number): string {
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
