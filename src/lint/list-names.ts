import { excerpt } from '../diagnostic/excerpt.js';

/** Names for a message: `"a", "b"`, and no more than a reader takes in: `"a", "b", "c", "d", "e" and 12 more`. */
export function listNames(names: readonly string[], limit = 5): string {
  const shown = names.slice(0, limit).map((name) => excerpt(name));
  const hidden = names.length - shown.length;
  return hidden === 0 ? shown.join(', ') : `${shown.join(', ')} and ${hidden} more`;
}
