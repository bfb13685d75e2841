import { expect, test } from 'vitest';
import { FileStamps } from '../../src/run-directory/file-stamps.js';
import { type FileStatus, nodeFileSystem } from '../../src/run-directory/file-system.js';

const before = { ino: 7, size: 3, mtimeMs: 1000.25, ctimeMs: 1000.25 };

type Found = Omit<FileStatus, 'isFile' | 'isDirectory'>;

/** Remembers a file as it was found first, and says whether it is unchanged when it is found as it was then. */
function isUnchanged(remembered: Found | undefined, now: number, found: Found | 'closed' | undefined) {
  let current: Found | 'closed' | undefined = remembered;
  const stat = (): FileStatus | undefined => {
    if (current === 'closed') throw Object.assign(new Error('closed'), { code: 'EACCES' });
    return current && { ...current, isFile: () => true, isDirectory: () => false };
  };
  const stamps = new FileStamps({ ...nodeFileSystem, stat }, () => now);
  stamps.remember('file');
  current = found;
  return stamps.isUnchanged('file');
}

test.each([
  ['as it was', before, true],
  ['longer', { ...before, size: 4 }, false],
  ['written again', { ...before, mtimeMs: 1000.5, ctimeMs: 1000.5 }, false],
  ['written again, with its old time put back', { ...before, ctimeMs: 5000.5 }, false],
  ['replaced by another', { ...before, ino: 8 }, false],
  ['gone', undefined, false],
  ['closed', 'closed', false],
] as const)('a file that is %s', (_, found, expected) => {
  expect(isUnchanged(before, 9000, found)).toBe(expected);
});

test.each([
  ['a moment ago', before, 1040, false],
  ['long enough ago', before, 1060, true],
  ['a second ago, where times are whole seconds', { ...before, ctimeMs: 1000 }, 2000, false],
  ['long enough ago, where times are whole seconds', { ...before, ctimeMs: 1000 }, 4000, true],
] as const)(
  'a file that was changed %s is remembered only if the next change would show',
  (_, file, now, expected) => {
    expect(isUnchanged(file, now, file)).toBe(expected);
  },
);

test('a file that was not there is not unchanged', () => {
  expect(isUnchanged(undefined, 9000, undefined)).toBe(false);
});
