import type { Span } from '../diagnostic/source.js';

/** Word in an attribute's list, with its position in the text. */
export interface ListWord {
  readonly word: string;
  readonly span: Span;
}

/** Words of a text that are separated by commas, as in `class`, `reads`, `writes` and `manager.actions`. */
export function listWords(text: string): readonly ListWord[] {
  return [...text.matchAll(/[^\s,](?:[^,]*[^\s,])?/g)].map(({ 0: word, index }) => ({
    word,
    span: { start: index, end: index + word.length },
  }));
}
