import { expect, test } from 'vitest';
import { alignPaths } from '../../../src/run/recording/align-paths.js';
import type { PathStep } from '../../../src/run/recording/recorded-path.js';

/** Steps of successful stages, `branch:node` in a branch, with the visits counted in that order. */
function pathOf(text: string): readonly PathStep[] {
  const visits = new Map<string, number>();
  return text.split(' ').map((step) => {
    const [node = '', branch] = step.split(':').reverse();
    visits.set(node, (visits.get(node) ?? 0) + 1);
    return { node_id: node, visit: visits.get(node) ?? 1, place: '', branch, status: 'success' };
  });
}

test.each<[what: string, old: string, now: string, aligned: string, firstDifference?: number]>([
  ['the same path', 'f a:a b:b m', 'f a:a b:b m', 'f a:a b:b m'],
  ['branches in another order', 'f a:a b:b a:x m', 'f b:b a:a a:x m', 'f a:a b:b a:x m'],
  ['a stage that both visit', 'f a:w b:w m', 'f b:w a:w m', 'f a:w b:w m'],
  [
    'branches within a branch',
    'f a:g b:b a/c:c a/d:d m',
    'f a:g a/d:d b:b a/c:c m',
    'f a:g b:b a/c:c a/d:d m',
  ],
  ['another order in one branch', 'f a:x a:y b:b m', 'f b:b a:y a:x m', 'f b:b a:y a:x m', 1],
  ['one stage less in a branch', 'f a:a b:b a:x m', 'f b:b a:a m', 'f a:a b:b m', 3],
  ['one stage more in a branch', 'f a:a b:b m', 'f b:b a:a a:x m', 'f a:a b:b a:x m', 3],
  [
    'one stage more within a branch',
    'f a:g a/c:c a:h m',
    'f a:g a/c:c a/c:x a:h m',
    'f a:g a/c:c a/c:x a:h m',
    3,
  ],
  ['a branch less', 'f a:a b:b m', 'f b:b m', 'f b:b m', 1],
  ['one stage more at the end', 'f m', 'f m n', 'f m n', 2],
  ['the same branches, one after the other', 'f a:a m f a:a m', 'f a:a m f a:a m', 'f a:a m f a:a m'],
])('%s', (_what, old, now, aligned, firstDifference) => {
  expect(alignPaths(pathOf(old), pathOf(now))).toEqual({ path: pathOf(aligned), firstDifference });
});

test('the status of a stage is a difference in any order', () => {
  const failed = pathOf('f b:b a:a m').map((step) =>
    step.node_id === 'b' ? { ...step, status: 'fail' as const } : step,
  );
  expect(alignPaths(pathOf('f a:a b:b m'), failed).firstDifference).toBe(2);
});
