import { expect, test } from 'vitest';
import { branchOfLine, branchOfRun, refAside, refSafe } from '../../../src/workspaces/git/branch-names.js';

test('a run has a branch, and each of its lines one next to it', () => {
  expect(branchOfRun('20261122-x')).toBe('attractor/20261122-x');
  expect(branchOfLine('20261122-x', '')).toBe('attractor/20261122-x');
  expect(branchOfLine('20261122-x', 'fan+a.3')).toBe('attractor/20261122-x.branches/fan+a.3');
});

test('what is on no branch has a ref that says why', () => {
  expect(refAside('x', 'undone', 'two.2.1')).toBe('refs/attractor/x/undone/two.2.1');
  expect(refAside('x', 'stopped', 'a b')).toBe('refs/attractor/x/stopped/a-b');
});

test('what git does not take becomes a hyphen', () => {
  const names = ['a..b', '.a', 'a.', 'a.lock', 'a~1^2:3?*[\\', 'ä', 'a/b', 'x_1+y=2'];
  expect(names.map(refSafe)).toEqual(['a.b', '-a', 'a-', 'a-', 'a-1-2-3----', '-', 'a-b', 'x_1+y=2']);
});
