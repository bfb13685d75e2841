import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readNamedFile, readRegularFile, statusOfNamed } from '../../src/run-directory/named-file.js';
import { describeSystemError } from '../../src/run-directory/run-error.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function problemOf(read: () => Buffer): string {
  try {
    return `read ${read().length} bytes`;
  } catch (error) {
    return describeSystemError(error);
  }
}

/** Makes what its name says in a directory. @returns its path */

const makers: Readonly<Record<string, (directory: string) => string>> = {
  'a file': (directory) => {
    writeFileSync(path.join(directory, 'file'), 'x'.repeat(200_000));
    return path.join(directory, 'file');
  },
  'a link to a file': (directory) => {
    writeFileSync(path.join(directory, 'file'), 'text');
    symlinkSync('file', path.join(directory, 'link'));
    return path.join(directory, 'link');
  },
  'a large hole': (directory) => {
    const file = path.join(directory, 'hole');
    writeFileSync(file, '');
    truncateSync(file, 2 ** 40);
    return file;
  },
  'a pipe': (directory) => {
    execFileSync('mkfifo', [path.join(directory, 'pipe')]);
    return path.join(directory, 'pipe');
  },
  'a device without an end': () => '/dev/zero',
  'an empty device': () => '/dev/null',
  'a directory': (directory) => directory,
  nothing: (directory) => path.join(directory, 'absent'),
  'a loop of links': (directory) => {
    symlinkSync('loop', path.join(directory, 'loop'));
    return path.join(directory, 'loop');
  },
  'a name below a file': () => '/dev/null/file',
  'a name that is too long': (directory) => path.join(directory, 'x'.repeat(300)),
};

const tooLarge = 'it is larger than 256 MiB';

describe('a file that somebody names', () => {
  test.each([
    ['a file', 'read 200000 bytes', 'read 200000 bytes'],
    ['a link to a file', 'read 4 bytes', 'read 4 bytes'],
    ['a large hole', tooLarge, tooLarge],
    ['a device without an end', tooLarge, 'it is a device'],
    ['an empty device', 'read 0 bytes', 'it is a device'],
    ['a directory', 'it is a directory', 'it is a directory'],
    ['nothing', 'it does not exist', 'it does not exist'],
    ['a loop of links', 'its symbolic links form a loop', 'its symbolic links form a loop'],
    ['a name below a file', 'a part of the path is not a directory', 'a part of the path is not a directory'],
    ['a name that is too long', 'the name is too long', 'the name is too long'],
  ])('%s: by the call, %s; by anything else, %s', (name, named, regular) => {
    const file = makers[name]?.(temporaryDirectory()) ?? '';
    expect([problemOf(() => readNamedFile(file)), problemOf(() => readRegularFile(file))]).toEqual([
      named,
      regular,
    ]);
  });

  test('a pipe that nobody chose keeps nobody waiting', () => {
    const pipe = makers['a pipe']?.(temporaryDirectory()) ?? '';
    expect(problemOf(() => readRegularFile(pipe))).toBe('it is a named pipe');
  });

  test.each(['nothing', 'a loop of links', 'a name below a file', 'a name that is too long'])(
    '%s has no status',
    (name) => {
      const directory = temporaryDirectory();
      expect(statusOfNamed(makers[name]?.(directory) ?? '')).toBeUndefined();
      mkdirSync(path.join(directory, 'there'));
      expect(statusOfNamed(path.join(directory, 'there'))?.isDirectory()).toBe(true);
    },
  );
});
