import type { Condition, KeyOperand, LiteralOperand, Operand } from '../../../src/parser/condition/ast.js';
import { fc } from '../../support/fast-check.js';

/*
 * Conditions as the parser makes them, but for their spans: groups of at least two, unquoted literals only where their
 * text can stand without quotes.
 */

const span = { start: 0, end: 0 };

const key = (path: string): KeyOperand => ({ kind: 'key', path, span });
const literal = (value: string, quoted: boolean): LiteralOperand => ({
  kind: 'literal',
  value,
  quoted,
  span,
});

const paths = fc.constantFrom(
  'outcome',
  'preferred_label',
  'context.a',
  'context.a.b.0',
  'state.n',
  'tool.output',
  'in',
  'not',
  'context.matches',
  '__proto__',
);
const namespacedPaths = fc.constantFrom('context.a', 'state.a.1', 'inputs.x', 'graph.goal', 'work.z');

const quoted = fc.string({ unit: 'binary' }).map((value) => literal(value, true));
const bareText = fc.constantFrom(
  'success',
  'two  words',
  'http://x/y?a=b',
  '-1.5',
  '!x',
  '[a, b]',
  "'s'",
  'é😀',
  'a,b',
);
const bareWord = fc.constantFrom(
  'success',
  '3',
  '-0.5',
  'gpt-5.2',
  'a|b',
  'true',
  'in',
  '^x.*$',
  'outcome',
  "'s'",
);

const keys = paths.map(key);
const left: fc.Arbitrary<Operand> = fc.oneof(
  keys,
  quoted,
  fc.constantFrom('3', '.5').map((value) => literal(value, false)),
);

const { right } = fc.letrec<{ right: Operand; list: Operand }>((tie) => ({
  right: fc.oneof(
    { maxDepth: 2 },
    quoted,
    bareWord.map((value) => literal(value, false)),
    namespacedPaths.map(key),
    tie('list'),
  ),
  list: fc
    .array(tie('right'), { minLength: 1, maxLength: 3 })
    .map((items): Operand => ({ kind: 'list', items, span })),
}));

const equality = fc.record({
  kind: fc.constant('comparison' as const),
  operator: fc.constantFrom('=' as const, '!=' as const),
  left,
  right: fc.oneof(
    quoted,
    bareText.map((value) => literal(value, false)),
  ),
  span: fc.constant(span),
});

const typed = fc.record({
  kind: fc.constant('comparison' as const),
  operator: fc.constantFrom(
    '<' as const,
    '<=' as const,
    '>' as const,
    '>=' as const,
    'in' as const,
    'not in' as const,
    'contains' as const,
  ),
  left,
  right,
  span: fc.constant(span),
});

const matches = fc.record({
  kind: fc.constant('comparison' as const),
  operator: fc.constant('matches' as const),
  left,
  right: fc.constantFrom('^a$', '"\\d+"', '(a|b)+').map((value) => literal(value, true)),
  span: fc.constant(span),
});

const clause: fc.Arbitrary<Condition> = fc.oneof(
  fc.boolean().map((value): Condition => ({ kind: 'constant', value, span })),
  keys.map((operand): Condition => ({ kind: 'exists', key: operand, span })),
  left.map((operand): Condition => ({ kind: 'truthy', operand, span })),
  equality,
  typed,
  matches,
);

export const conditions: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    clause,
    fc
      .record({
        kind: fc.constantFrom('or' as const, 'and' as const),
        operands: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
      })
      .map((group): Condition => ({ ...group, span })),
    tie('condition').map((operand): Condition => ({ kind: 'not', operand, span })),
  ),
})).condition;
