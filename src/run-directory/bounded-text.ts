import { messageOf } from '../handlers/error-category.js';
import { firstCharacters } from './artifact-reference.js';
import { byteLength } from './byte-length.js';

/** Bytes of JSON that one text may have in an event, which may have it three times (DESIGN §2). */
export const longestText = 12 * 1024;

/** Characters of a text that are kept. */
export const textKept = 2000;

/**
 * Text that an event can hold (DESIGN §2): of one that is too long the beginning, with its full length. A
 * value that is not a text, which may come from code that no compiler has seen, is described.
 */
export function boundedText(given: unknown): string {
  const text = typeof given === 'string' ? given : messageOf(given);
  // One character is at most six bytes, as `\u0000`.
  if (6 * text.length + 2 <= longestText || byteLength(JSON.stringify(text)) <= longestText) return text;
  return `${firstCharacters(text, textKept)} … (the beginning of ${byteLength(text)} bytes)`;
}
