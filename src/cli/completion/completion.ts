/** A word that may stand where the cursor is. */
export interface CandidateWord {
  readonly word: string;
  readonly description: string;
}

/** Completion at the cursor: these words, and files of a kind, which the shell knows best. */
export interface WordCompletion {
  readonly candidates: readonly CandidateWord[];
  readonly files: 'none' | 'dot' | 'any' | 'folders';
}
