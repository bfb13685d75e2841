/** Something that the editor offers to write. */
export interface Suggestion {
  readonly label: string;
  readonly kind: SuggestionKind;
  /** Next to the label. */
  readonly detail?: string;
  /** A sentence or two, shown where the suggestion is looked at. */
  readonly info?: string;
  /** Written instead of the label. */
  readonly insert?: string;
}

export type SuggestionKind =
  | 'attribute'
  | 'value'
  | 'node'
  | 'keyword'
  | 'key'
  | 'handler'
  | 'operator'
  | 'class'
  | 'file'
  | 'model';

/** Suggestions for the part of a text that is being typed. */
export interface Completion {
  /** Start of the typed part. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

/** Undefined where nothing is suggested. */
export function completionOf(from: number, suggestions: readonly Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { from, suggestions };
}
