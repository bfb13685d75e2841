import type { JsonValue } from '../../../src/graph/json.js';
import { fc } from '../../support/fast-check.js';

/*
 * Conditions over few keys and few values, so that they often depend on each other; and the values that could make a
 * difference to them, enumerated without a look at how the solver chooses its own.
 */

export const keys = ['outcome', 'preferred_label', 'context.a', 'inputs.b', 'n'] as const;

const words = ['x', 'xy', 'y', 'true', 'false', '0', '1', '1.0', '2', '10', '""', '[\\"x\\"]'];
const bare = words.filter((word) => /^[\w.]+$/.test(word));

const word = fc.constantFrom(...bare);
const quoted = fc
  .constantFrom(...words)
  .map((text) => (text === '""' ? text : `"${text.replaceAll('"', '"')}"`));
const literal = fc.oneof({ arbitrary: word, weight: 3 }, { arbitrary: quoted, weight: 1 });
const number = fc.constantFrom('0', '1', '1.5', '2', '"1"', 'x', '"x"');
const status = fc.constantFrom('success', 'fail', 'partial_success', 'skipped', 'odd');
const list = fc.array(literal, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`);

const clauseOf = (key: string): fc.Arbitrary<string> =>
  key === 'outcome'
    ? fc.oneof(
        fc.tuple(fc.constantFrom('=', '!='), status).map(([sign, text]) => `outcome${sign}${text}`),
        fc.array(status, { minLength: 1, maxLength: 2 }).map((items) => `outcome in [${items.join(', ')}]`),
      )
    : fc.oneof(
        fc.tuple(fc.constantFrom('=', '!='), literal).map(([sign, text]) => `${key}${sign}${text}`),
        fc
          .tuple(fc.constantFrom('<', '<=', '>', '>='), number)
          .map(([sign, text]) => `${key} ${sign} ${text}`),
        fc.tuple(fc.constantFrom('in', 'not in'), list).map(([sign, text]) => `${key} ${sign} ${text}`),
        literal.map((text) => `${key} contains ${text}`),
        literal.map((text) => `${key} in ${text}`),
        fc.constantFrom('^x', '[0-9]', 'y$').map((text) => `${key} matches "${text}"`),
        fc.constant(`exists ${key}`),
        fc.constant(key),
        fc.constantFrom(`2 < ${key}`, `"x" in context.a`, `${key} = x`),
      );

const clause = fc.constantFrom(...keys).chain(clauseOf);

export const conditionTexts: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { arbitrary: clause, weight: 3 },
    fc.array(tie('text'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' && ')})`),
    fc.array(tie('text'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' || ')})`),
    tie('text').map((text) => `!(${text})`),
  ),
})).text;

export const outcomes = ['success', 'fail', 'partial_success', 'skipped', 'odd', 'another'] as const;

/** What a context may hold under a key. */
export const values: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  '',
  ...[
    'x',
    'xy',
    'y',
    'yx',
    'z',
    'x1',
    'true',
    'false',
    '0',
    '1',
    '1.0',
    ' 1',
    '2',
    '10',
    '1.5',
    '1.2',
    '0.5',
    '-3',
    '99',
    '7',
  ],
  ...['0.0', '["x"]', '[', 'w y', '9x'],
  ...[0, 1, 1.5, 1.2, 2, 10, 99, -3, 15],
  true,
  false,
  [],
  ['x'],
  ['x', 'y'],
  ['xy', 1],
  ['10', '0', 'y'],
  {},
  { x: 'y' },
];

export const labels: readonly string[] = values.filter((value) => typeof value === 'string');
