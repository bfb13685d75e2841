import type { JsonValue } from '../graph/json.js';
import { boundedText, longestText } from './bounded-text.js';
import { byteLength } from './byte-length.js';

/** A value that an event can hold (DESIGN §2): one that is too long becomes the beginning of its text. */
export function boundedJson(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return byteLength(text) <= longestText ? value : boundedText(text);
}
