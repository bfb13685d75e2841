import type { Suggestion } from './suggestion.js';

/** Facts about the machine that completion may suggest; a playground has none. */
export interface CompletionFacts {
  /** Models besides those of the text, with a sentence about each. */
  readonly models?: readonly Suggestion[];
  /** Files that begin with a path, relative to the pipeline; a folder ends in `/`. */
  readonly files?: (path: string) => readonly string[];
}
