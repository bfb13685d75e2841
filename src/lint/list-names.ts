import { excerpt } from '../diagnostic/excerpt.js';
import { listFirst } from '../diagnostic/list-first.js';

/**
 * Names for a message: `"a", "b"`, and at most as many as a reader takes in: `"a", "b", "c", "d", "e" and
 * 12 more`.
 */
export function listNames(names: readonly string[], limit?: number): string {
  return listFirst(names, limit, excerpt);
}
