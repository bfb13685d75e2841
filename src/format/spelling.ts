import type { AttributeKey, ValueNode } from '../parser/dot/ast.js';

/**
 * A key as Graphviz reads it too (SEMANTICS 17): in quotes where it has dots, or is a keyword of Graphviz; without them
 * everywhere else.
 */
export function spellKey({ name, quoted, span }: AttributeKey, source: string): string {
  if (isPlainWord(name)) return name;
  return quoted ? source.slice(span.start, span.end) : `"${name}"`;
}

/** Value as Graphviz reads it too: durations, and words with characters that no id has, are quoted. */
export function spellValue({ kind, text, span }: ValueNode, source: string): string {
  switch (kind) {
    case 'string':
      return source.slice(span.start, span.end);
    case 'integer':
    case 'float':
    case 'boolean':
      return text;
    case 'duration':
      return `"${text}"`;
    case 'bare':
      return isPlainWord(text) ? text : `"${text}"`;
  }
}

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Keywords of Graphviz, which it takes neither as attributes nor as values, in any case. */
const KEYWORD = /^(?:strict|digraph|graph|subgraph|node|edge)$/i;

function isPlainWord(text: string): boolean {
  return WORD.test(text) && !(text.length < 9 && KEYWORD.test(text));
}
