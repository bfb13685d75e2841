import type { Span } from '../../diagnostic/source.js';
import { tokenizeStylesheet } from './parse.js';
import { NodeId, spanOf } from './tokens.js';

export interface NodeSelector {
  readonly id: string;
  /** Span of the id within the stylesheet. */
  readonly span: Span;
}

/** Ids that a stylesheet selects (`#id`, §8.2), even if it cannot be parsed. */
export function nodeSelectors(text: string): readonly NodeSelector[] {
  return tokenizeStylesheet(text).flatMap((token) => {
    const { start, end } = spanOf(token);
    return token.tokenType === NodeId ? [{ id: token.image.slice(1), span: { start: start + 1, end } }] : [];
  });
}
