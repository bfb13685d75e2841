/**
 * List of names for a message, at most as many as a reader takes in: `a, b, c, d, e and 12 more`.
 * @param shown spells a name
 */
export function listFirst(
  names: readonly string[],
  limit = 5,
  shown: (name: string) => string = (name) => name,
): string {
  const first = names.slice(0, limit).map((name) => shown(name));
  const hidden = names.length - first.length;
  return hidden === 0 ? first.join(', ') : `${first.join(', ')} and ${hidden} more`;
}
