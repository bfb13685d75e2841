import { fc } from '../support/fast-check.js';
import type { Expression, Grammar, Range } from './ebnf.js';

/** Sentences of a grammar, as lists of tokens. */
export function sentences(
  { rules, start, tokens }: Grammar,
  special: Readonly<Record<string, fc.Arbitrary<string>>> = {},
): fc.Arbitrary<readonly string[]> {
  const heightOf = heightsOf(rules);
  const { [start]: sentence } = fc.letrec<Record<string, readonly string[]>>((tie) => {
    const arbitraryOf = (expression: Expression): fc.Arbitrary<readonly string[]> => {
      switch (expression.kind) {
        case 'text':
          return fc.constant([expression.text]);
        case 'characters':
          return characterOf(expression).map((character) => [character]);
        case 'name':
          return tie(expression.name);
        case 'sequence':
          return fc.tuple(...expression.parts.map(arbitraryOf)).map((parts) => parts.flat());
        case 'choice':
          return fc.oneof(
            { maxDepth: 3, depthIdentifier: 'choice' },
            ...expression.parts.toSorted((one, other) => heightOf(one) - heightOf(other)).map(arbitraryOf),
          );
        case 'repeat': {
          const { part, least, most } = expression;
          const maxLength = most === 1 ? 1 : 4;
          return fc
            .array(arbitraryOf(part), { minLength: least, maxLength, depthIdentifier: 'repeat' })
            .map((parts) => parts.flat());
        }
        case 'except':
          return arbitraryOf(expression.part).filter((found) => !isWord(expression.without, found.join('')));
      }
    };
    const isWord = (expression: Expression, text: string): boolean => {
      if (expression.kind === 'text') return expression.text === text;
      if (expression.kind === 'choice') return expression.parts.some((part) => isWord(part, text));
      const rule = expression.kind === 'name' ? rules.get(expression.name) : undefined;
      return rule !== undefined && isWord(rule, text);
    };
    return Object.fromEntries(
      [...rules].map(([name, rule]) => {
        const own = special[name]?.map((text) => [text]) ?? arbitraryOf(rule);
        return [name, tokens.has(name) ? own.map((parts) => [parts.join('')]) : own];
      }),
    );
  });
  if (sentence === undefined) throw new Error(`no rule is called ${start}`);
  return sentence;
}

/** How deep a derivation is at least: fast-check takes the first way where it has gone deep enough. */
function heightsOf(rules: Grammar['rules']): (expression: Expression) => number {
  const known = new Map<string, number>();
  const height = (expression: Expression): number => {
    switch (expression.kind) {
      case 'text':
      case 'characters':
        return 0;
      case 'name':
        return known.get(expression.name) ?? Number.POSITIVE_INFINITY;
      case 'sequence':
        return Math.max(0, ...expression.parts.map(height));
      case 'choice':
        return Math.min(...expression.parts.map(height));
      case 'repeat':
      case 'except':
        return height(expression.part);
    }
  };
  for (let round = 0; round < rules.size; round += 1) {
    for (const [name, rule] of rules) known.set(name, 1 + height(rule));
  }
  return height;
}

/** Mostly of those in the ranges, with a few letters beyond ASCII where anything else is meant. */
function characterOf({
  isNegated,
  ranges,
}: Extract<Expression, { kind: 'characters' }>): fc.Arbitrary<string> {
  if (!isNegated) return fc.oneof(...ranges.map(inRange));
  const others = [...'abz AZ09_.,;:-+*/!?()[]{}<>=$&|\'"\\\t\né😀'].filter(
    (character) => !ranges.some(([from, to]) => isBetween(character, from, to)),
  );
  return fc.constantFrom(...others);
}

function inRange([from, to]: Range): fc.Arbitrary<string> {
  return fc.integer({ min: from, max: Math.min(to, 0xd7ff) }).map((code) => String.fromCodePoint(code));
}

function isBetween(character: string, from: number, to: number): boolean {
  const code = character.codePointAt(0) ?? 0;
  return from <= code && code <= to;
}
