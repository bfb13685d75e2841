import { RE2JS, RE2JSException } from 're2js';
import type { LiteralOperand } from './ast.js';

/** Longest pattern that `matches` accepts, in UTF-16 units. */
export const maxPatternLength = 1_000;

/** Length of a value that `matches` searches, in UTF-16 units; the rest is ignored. */
export const maxSubjectLength = 65_536;

/**
 * Regular expression in RE2's syntax, searched in linear time: no pattern makes it backtrack (SEMANTICS
 * §12).
 */
export interface Pattern {
  /** True if it occurs anywhere in the subject. */
  test(subject: string): boolean;
}

export type PatternResult =
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Compiles the right side of `matches`. This is the only module that knows the regular expression library.
 */
export function compilePattern(text: string): PatternResult {
  if (text.length > maxPatternLength) {
    return {
      kind: 'invalid',
      reason: `it has ${text.length} characters, the limit is ${maxPatternLength}`,
    };
  }
  try {
    const compiled = RE2JS.compile(text);
    return {
      kind: 'pattern',
      pattern: { test: (subject) => compiled.test(subject.slice(0, maxSubjectLength)) },
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { kind: 'invalid', reason: explain(error.message) };
  }
}

const patternOfLiteral = new WeakMap<LiteralOperand, PatternResult>();

/** The pattern of a literal, compiled once. */
export function patternOf(literal: LiteralOperand): PatternResult {
  const known = patternOfLiteral.get(literal);
  if (known !== undefined) return known;
  const compiled = compilePattern(literal.value);
  patternOfLiteral.set(literal, compiled);
  return compiled;
}

function explain(message: string): string {
  const reason = message.replace(/^error parsing regexp: /, '');
  return /Perl syntax|escape sequence: `\\[1-9]/.test(reason)
    ? `${reason} (look-around and back-references are not supported)`
    : reason;
}
