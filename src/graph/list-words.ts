import type { Span } from '../diagnostic/source.js';

/** A word of a list that an attribute holds, and where in its text. */
export interface ListWord {
  readonly word: string;
  readonly span: Span;
}

/** The words of a text that are separated by commas, as in `class`, `reads`, `writes` and `manager.actions`. */
export function listWords(text: string): readonly ListWord[] {
  return [...text.matchAll(/[^\s,](?:[^,]*[^\s,])?/g)].map(({ 0: word, index }) => ({
    word,
    span: { start: index, end: index + word.length },
  }));
}
