/** Something that the editor offers to write. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'attribute' | 'value' | 'node' | 'keyword' | 'key' | 'handler';
  /** Next to the label. */
  readonly detail?: string;
  /** A sentence or two, shown where the suggestion is looked at. */
  readonly info?: string;
  /** Written instead of the label. */
  readonly insert?: string;
}
