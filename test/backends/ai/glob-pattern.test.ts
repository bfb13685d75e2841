import { expect, test } from 'vitest';
import { globPattern } from '../../../src/backends/ai/tools/glob-pattern.js';

const cases: readonly (readonly [glob: string, matching: readonly string[], other: readonly string[]])[] = [
  ['*.ts', ['a.ts', '.ts'], ['a/b.ts', 'a.tsx', 'ats']],
  ['**/*.ts', ['a.ts', 'a/b/c.ts'], ['a.js']],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'other/a']],
  ['src/**/test/*', ['src/test/a', 'src/a/b/test/c'], ['src/test/a/b', 'srctest/a']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['?.md', ['a.md'], ['ab.md', '/.md']],
  ['[a-c]x', ['bx'], ['dx', '-x']],
  ['[!a-c]x', ['dx'], ['bx', '/x']],
  ['[]x]', [']', 'x'], ['a']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js', 'a.{ts,tsx}']],
  ['{a,b{c,d}}/*', ['a/x', 'bc/x', 'bd/x'], ['b/x']],
  ['{src/**,test}/x', ['src/a/x', 'test/x'], ['other/x']],
  ['a,b', ['a,b'], ['a', 'b']],
  ['{a', ['{a'], ['a']],
  ['\\*.ts', ['*.ts'], ['a.ts']],
  ['a+(b).c$', ['a+(b).c$'], ['aab.c', 'a+(b)xc$']],
  ['./a//*.ts', ['a/b.ts'], ['b.ts']],
  ['über/*', ['über/日本'], ['uber/x']],
];

test.each(cases)('%s', (glob, matching, other) => {
  const pattern = globPattern(glob);
  expect(matching.filter((path) => !pattern.matches(path))).toEqual([]);
  expect(other.filter((path) => pattern.matches(path))).toEqual([]);
});

test.each([
  ['src/api/*.ts', 'src/api', 3],
  ['./src/a.ts', 'src', 2],
  ['a.ts', '', 1],
  ['{a/b,c}/d', '', 3],
  ['src/**/x', 'src', Number.POSITIVE_INFINITY],
])('%s is looked for below "%s", %d names deep', (glob, base, depth) => {
  expect(globPattern(glob)).toMatchObject({ base, depth });
});

test('a set of characters that cannot be read is said to be one', () => {
  expect(() => globPattern('[z-a]')).toThrow('the glob "[z-a]" cannot be read');
});
