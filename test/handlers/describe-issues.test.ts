import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssues } from '../../src/handlers/describe-issues.js';
import { entriesOf } from '../../src/handlers/entries-of.js';

const shape = z.strictObject({
  name: z.string().optional(),
  ids: z.array(z.string()).min(1).optional(),
  word: z.enum(['x', 'y']).optional(),
  count: z.number().nonnegative().optional(),
  flag: z.boolean().optional(),
  answer: z.union([z.string(), z.number()]).optional(),
  listed: z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(z.number())).optional(),
  switched: z.union([z.boolean(), z.strictObject({ by: z.string() })]).optional(),
  entries: entriesOf(z.strictObject({ text: z.string() })).optional(),
});

test.each<[value: unknown, says: string]>([
  [5, 'expected an object, found 5'],
  [null, 'expected an object, found null'],
  [undefined, 'expected an object, found nothing'],
  [{ name: new Map() }, 'name: expected a string, found an instance of Map'],
  [{ name: 5 }, 'name: expected a string, found 5'],
  [{ name: ['a'] }, 'name: expected a string, found ["a"]'],
  [{ name: () => 1 }, 'name: expected a string, found a function'],
  [{ name: 7n }, 'name: expected a string, found 7'],
  [{ name: Number.NaN }, 'name: expected a string, found NaN'],
  [{ ids: 'a' }, 'ids: expected a list, found "a"'],
  [{ ids: ['a', true] }, 'ids.1: expected a string, found true'],
  [{ ids: [] }, 'ids: expected at least 1 entry, found []'],
  [{ word: 'z' }, 'word: expected one of x, y, found "z"'],
  [{ count: -1 }, 'count: expected at least 0, found -1'],
  [{ flag: 'yes' }, 'flag: expected true or false, found "yes"'],
  [{ answer: {} }, 'answer: expected a string or a number, found {}'],
  [{ switched: 'on' }, 'switched: expected true or false or an object, found "on"'],
  [{ switched: { to: 1 } }, 'switched: by: expected a string, found nothing; there is no key "to" here'],
  [{ nmae: 'a' }, 'there is no key "nmae" here'],
  [{ listed: 'a' }, 'listed.0: expected a number, found "a"'],
  [{ entries: 1 }, 'entries: expected an object, found 1'],
  [{ entries: { a: { text: 1 } } }, 'entries.a.text: expected a string, found 1'],
  [{ name: 1, flag: 1 }, 'name: expected a string, found 1; flag: expected true or false, found 1'],
  [{ name: { long: 'x'.repeat(100) } }, `name: expected a string, found {"long":"${'x'.repeat(51)}…`],
])('says in words what is wrong with a value (%#)', (value, says) => {
  const parsed = shape.safeParse(value);
  expect(parsed.error && describeIssues(parsed.error, value)).toBe(says);
});
