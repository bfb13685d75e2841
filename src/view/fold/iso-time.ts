/**
 * Time as ISO 8601; empty for an invalid one in a damaged journal.
 * @param at milliseconds since 1970
 */
export function isoTime(at: number): string {
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
