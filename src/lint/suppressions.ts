import type { SourceText, Span } from '../diagnostic/source.js';
import type { Comment } from '../parser/dot/ast.js';

/** Comment that suppresses findings. */
export interface Suppression {
  /**
   * `// attractor-disable-next-line …` or `// attractor-disable …`; `unknown` for a similar but invalid
   * word.
   */
  readonly kind: 'next_line' | 'file' | 'unknown';
  /** Word as written. */
  readonly word: string;
  /** Span of the whole comment. */
  readonly span: Span;
  readonly rules: readonly SuppressedRule[];
}

/** Rule in a comment, with its position. */
export interface SuppressedRule {
  readonly name: string;
  readonly span: Span;
}

/** Words that suppress findings. */
export const suppressionWords = ['attractor-disable-next-line', 'attractor-disable'] as const;

const opening = /^(?:\/\/|\/\*)[\s*]*/;
const directive = /attractor-(?:dis|en)able[\w-]*/y;
/** Sign before a reason, for people. */
const reasonSign = /\s--(?:\s|$)/;

/** Comments of a text that suppress findings, or seem to be meant to. */
export function suppressionsIn({ text }: SourceText, comments: readonly Comment[]): readonly Suppression[] {
  // Most files have none, and must not pay for it.
  if (!text.includes('attractor-')) return [];
  return comments.flatMap((comment) => suppressionIn(text, comment) ?? []);
}

function suppressionIn(text: string, { kind, span }: Comment): Suppression | undefined {
  const end = kind === 'block' && text.endsWith('*/', span.end) ? span.end - 2 : span.end;
  const comment = text.slice(span.start, end);
  directive.lastIndex = opening.exec(comment)?.[0].length ?? 0;
  const word = directive.exec(comment)?.[0];
  if (word === undefined) return undefined;
  const directiveEnd = directive.lastIndex;
  const reason = comment.slice(directiveEnd).search(reasonSign);
  const list =
    reason === -1 ? comment.slice(directiveEnd) : comment.slice(directiveEnd, directiveEnd + reason);
  const rules = [...list.matchAll(/[^\s,]+/g)].map(({ 0: name, index }) => {
    const start = span.start + directiveEnd + index;
    return { name, span: { start, end: start + name.length } };
  });
  return { kind: kindOf(word), word, span, rules };
}

function kindOf(word: string): Suppression['kind'] {
  if (word === 'attractor-disable-next-line') return 'next_line';
  return word === 'attractor-disable' ? 'file' : 'unknown';
}
