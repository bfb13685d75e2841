import type { Span } from '../../diagnostic/source.js';
import { namespaces } from '../namespaces.js';

/** Value in the spelling of another template language, which stays as written. */
export interface ForeignValue {
  /** `context.x` of `{{ context.x }}` and of `$context.x`. */
  readonly path: string;
  readonly written: string;
  readonly span: Span;
}

const BRACES = /(?<!\$)\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*-?\}\}/g;
const DOLLAR = new RegExp(String.raw`(?<![\w$\\])\$((?:${namespaces.join('|')})(?:\.[A-Za-z_]\w*)+)`, 'g');

/** Finds `{{ name }}` and `$namespace.key` in a text. */
export function foreignValues(text: string): readonly ForeignValue[] {
  const patterns = [...(text.includes('{{') ? [BRACES] : []), ...(text.includes('$') ? [DOLLAR] : [])];
  return patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: written, 1: path = '', index }) => {
      return { path, written, span: { start: index, end: index + written.length } };
    }),
  );
}
