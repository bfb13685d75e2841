import type { Span } from '../../../diagnostic/source.js';

/** Explanation of a part of a text. */
export interface Hover {
  readonly span: Span;
  readonly title: string;
  /** A sentence or two; may be empty. */
  readonly text: string;
  /** Facts, a line each. */
  readonly details?: readonly string[];
}

/** Words for what is hovered over, without its place. */
export type Explanation = Omit<Hover, 'span'>;
