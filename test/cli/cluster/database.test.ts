import { expect, test } from 'vitest';
import { databaseIfAny, databaseOf } from '../../../src/cli/cluster/database.js';
import type { Io } from '../../../src/cli/io.js';

const withVariable = (value: string | undefined) =>
  ({ env: { ATTRACTOR_DATABASE_URL: value } }) as never as Io;

test.each([
  ['the option', { database: 'postgresql://a/b' }, 'postgresql://c/d', 'postgresql://a/b'],
  ['the variable', {}, 'postgresql://c/d', 'postgresql://c/d'],
  ['neither', {}, undefined, undefined],
  ['an empty variable', {}, '', undefined],
])('%s names the database', (_what, given, variable, expected) => {
  const io = withVariable(variable);
  expect(databaseIfAny(given, io)).toBe(expected);
  if (expected === undefined) expect(() => databaseOf(given, io)).toThrow('set ATTRACTOR_DATABASE_URL');
  else expect(databaseOf(given, io)).toBe(expected);
});

test('an empty option is refused: the run was meant for a cluster', () => {
  expect(() => databaseIfAny({ database: '' }, withVariable('postgresql://c/d'))).toThrow(
    '--database is empty; name it as --database postgresql://user@host/name',
  );
});

test.each([
  ['postgresql://a/b?sslmode=require', 'postgresql://a/b?sslmode=verify-full'],
  ['postgresql://a/b?x=1&sslmode=prefer&y=2', 'postgresql://a/b?x=1&sslmode=verify-full&y=2'],
  ['postgresql://a/b?sslmode=disable', 'postgresql://a/b?sslmode=disable'],
  [
    'postgresql://a/b?uselibpqcompat=true&sslmode=require',
    'postgresql://a/b?uselibpqcompat=true&sslmode=require',
  ],
])('%s connects as %s', (database, expected) => {
  expect(databaseOf({ database }, withVariable(undefined))).toBe(expected);
});
