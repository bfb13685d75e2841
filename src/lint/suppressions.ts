import type { SourceText, Span } from '../diagnostic/source.js';
import type { Comment } from '../parser/dot/ast.js';

/** A comment that suppresses findings. */
export interface Suppression {
  /** `// attractor-disable-next-line …` or `// attractor-disable …`; `unknown` for a word like these that means nothing. */
  readonly kind: 'next_line' | 'file' | 'unknown';
  /** The word as written. */
  readonly word: string;
  /** The whole comment. */
  readonly span: Span;
  readonly rules: readonly SuppressedRule[];
}

/** A rule as a comment names it, and where. */
export interface SuppressedRule {
  readonly name: string;
  readonly span: Span;
}

/** The words that suppress findings. */
export const suppressionWords = ['attractor-disable-next-line', 'attractor-disable'] as const;

const opening = /^(?:\/\/|\/\*)[\s*]*/;
const directive = /attractor-(?:dis|en)able[\w-]*/y;
/** What follows is a reason, for people. */
const reasonSign = /\s--(?:\s|$)/;

/** The comments of a text that suppress findings, or seem to be meant to. */
export function suppressionsIn({ text }: SourceText, comments: readonly Comment[]): readonly Suppression[] {
  // Most files have none, and are not to pay for it.
  if (!text.includes('attractor-')) return [];
  return comments.flatMap((comment) => suppressionIn(text, comment) ?? []);
}

function suppressionIn(text: string, { kind, span }: Comment): Suppression | undefined {
  const end = kind === 'block' && text.endsWith('*/', span.end) ? span.end - 2 : span.end;
  const comment = text.slice(span.start, end);
  directive.lastIndex = opening.exec(comment)?.[0].length ?? 0;
  const word = directive.exec(comment)?.[0];
  if (word === undefined) return undefined;
  const behind = directive.lastIndex;
  const reason = comment.slice(behind).search(reasonSign);
  const list = reason === -1 ? comment.slice(behind) : comment.slice(behind, behind + reason);
  const rules = [...list.matchAll(/[^\s,]+/g)].map(({ 0: name, index }) => {
    const start = span.start + behind + index;
    return { name, span: { start, end: start + name.length } };
  });
  return { kind: kindOf(word), word, span, rules };
}

function kindOf(word: string): Suppression['kind'] {
  if (word === 'attractor-disable-next-line') return 'next_line';
  return word === 'attractor-disable' ? 'file' : 'unknown';
}
