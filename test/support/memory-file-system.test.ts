import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../src/run-directory/file-system.js';
import { fc } from './fast-check.js';
import { memoryFileSystem } from './memory-file-system.js';
import { temporaryDirectory } from './temporary-directory.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Somewhere in a file system. */
interface Place {
  readonly fileSystem: FileSystem;
  readonly home: string;
}

const places: readonly (readonly [string, () => Place])[] = [
  ['in memory', inMemory],
  ['of this machine', () => ({ fileSystem: nodeFileSystem, home: temporaryDirectory() })],
];

function inMemory(): Place {
  const fileSystem = memoryFileSystem();
  fileSystem.mkdir('/home');
  return { fileSystem, home: '/home' };
}

/** Calls by name with paths below a home, which the answers say as `~`. */
type Call = readonly [name: string, ...args: readonly unknown[]];

/** Keeps descriptors by number, in the order in which they were opened: file systems count them differently. */
function performer({ fileSystem, home }: Place): (call: Call) => unknown {
  const descriptors: number[] = [];
  const never = 999_999_999;
  const at = (file: unknown): string => path.join(home, String(file));
  const opened = (index: unknown): number => descriptors[Number(index)] ?? never;
  const calls: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
    open: (file, flags) => {
      descriptors.push(fileSystem.open(at(file), flags as 'r'));
      return descriptors.length - 1;
    },
    write: (index, text, offset = 0) => fileSystem.write(opened(index), bytes(String(text)), Number(offset)),
    fsync: (index) => fileSystem.fsync(opened(index)),
    fdatasync: (index) => fileSystem.fdatasync(opened(index)),
    fstat: (index) => fileSystem.fstat(opened(index)).size,
    ftruncate: (index, size) => fileSystem.ftruncate(opened(index), Number(size)),
    close: (index) => {
      fileSystem.close(opened(index));
      // The system gives its number to the next file that is opened.
      descriptors[Number(index)] = never;
    },
    exists: (file) => fileSystem.exists(at(file)),
    stat: (file) => {
      const found = fileSystem.stat(at(file));
      const type = found && [found.isFile(), found.isDirectory()];
      return type && [...type, found.isFile() ? found.size : 'any'];
    },
    readFile: (file) => fileSystem.readFile(at(file)).toString(),
    writeFile: (file, text) => fileSystem.writeFile(at(file), String(text)),
    rm: (file) => fileSystem.rm(at(file)),
    rename: (from, to) => fileSystem.rename(at(from), at(to)),
    link: (from, to) => fileSystem.link(at(from), at(to)),
    mkdir: (directory) => fileSystem.mkdir(at(directory)),
    readdir: (directory) => [...fileSystem.readdir(at(directory))].sort(),
  };
  return ([name, ...args]) => {
    try {
      return calls[name]?.(...args);
    } catch (error) {
      const { code, syscall, path: file, message } = error as NodeJS.ErrnoException;
      // Versions of Node differ in how they say that something cannot be removed.
      if (name === 'rm') return { code };
      // A file is written next to and renamed: either of the two calls may be the one that fails.
      if (name === 'writeFile') return { code };
      return { code, syscall, path: file?.replace(home, '~'), message: message.replaceAll(home, '~') };
    }
  };
}

const failure = (code: string): unknown => expect.objectContaining({ code });

describe.each(places)('the file system %s', (_name, place) => {
  test.each<readonly [string, ...(readonly [Call, unknown])[]]>([
    [
      'appends, and keeps what is there',
      [['writeFile', 'a', 'one'], undefined],
      [['open', 'a', 'a'], 0],
      [['write', 0, 'xtwo', 1], 3],
      [['fdatasync', 0], undefined],
      [['fstat', 0], 6],
      [['close', 0], undefined],
      [['readFile', 'a'], 'onetwo'],
    ],
    [
      'creates by `wx`, where there is nothing',
      [['open', 'a', 'wx'], 0],
      [['open', 'a', 'wx'], failure('EEXIST')],
      [
        ['stat', 'a'],
        [true, false, 0],
      ],
      [['write', 0, 'x'], 1],
      [['write', 0, 'y'], 1],
      [['readFile', 'a'], 'xy'],
    ],
    [
      'has an open file continue under another name, and without one',
      [['open', 'a', 'as'], 0],
      [['rename', 'a', 'b'], undefined],
      [['write', 0, 'x'], 1],
      [['readFile', 'b'], 'x'],
      [['rm', 'b'], undefined],
      [['write', 0, 'y'], 1],
      [['fstat', 0], 2],
      [['exists', 'b'], false],
    ],
    [
      'cuts off, and fills up with zeros',
      [['open', 'a', 'wx+'], 0],
      [['write', 0, 'abcdef'], 6],
      [['ftruncate', 0, 3], undefined],
      [['readFile', 'a'], 'abc'],
      [['ftruncate', 0, 5], undefined],
      [['readFile', 'a'], 'abc\0\0'],
    ],
    [
      'replaces a file by renaming another',
      [['writeFile', 'a', 'new'], undefined],
      [['writeFile', 'b', 'old'], undefined],
      [['rename', 'a', 'b'], undefined],
      [['readFile', 'b'], 'new'],
      [['exists', 'a'], false],
    ],
    [
      'has one file under two names',
      [['writeFile', 'a', 'x'], undefined],
      [['link', 'a', 'b'], undefined],
      [['open', 'a', 'a'], failure('ENOTFILE')],
      [['writeFile', 'a', 'y'], undefined],
      [['readFile', 'b'], 'x'],
      [['link', 'a', 'b'], failure('EEXIST')],
      [['rm', 'a'], undefined],
      [['readFile', 'b'], 'x'],
      [['open', 'b', 'a'], 0],
    ],
    [
      'moves a directory with what is in it',
      [['mkdir', 'd'], undefined],
      [['writeFile', 'd/a', 'x'], undefined],
      [['rename', 'd', 'e'], undefined],
      [['readdir', '.'], ['e']],
      [['readFile', 'e/a'], 'x'],
      [['mkdir', 'f'], undefined],
      [['rename', 'f', 'e'], failure('ENOTEMPTY')],
      [['rename', 'e', 'f'], undefined],
      [['rename', 'f', 'f/g'], failure('EINVAL')],
    ],
    [
      'opens a directory to sync it, and for nothing else',
      [['open', '.', 'r'], 0],
      [['fsync', 0], undefined],
      [['write', 0, 'x'], failure('EBADF')],
      [['open', '.', 'wx'], failure('EEXIST')],
      [['open', '.', 'a'], failure('EISDIR')],
      [['readFile', '.'], failure('EISDIR')],
      [['writeFile', '.', 'x'], failure('EISDIR')],
      [['rm', '.'], failure('ERR_FS_EISDIR')],
    ],
    [
      'says what is not there',
      [['open', 'a', 'r'], failure('ENOENT')],
      [['open', 'd/a', 'wx'], failure('ENOENT')],
      [['readFile', 'a'], failure('ENOENT')],
      [['stat', 'a'], undefined],
      [['exists', 'a'], false],
      [['rm', 'a'], undefined],
      [['rename', 'a', 'b'], failure('ENOENT')],
      [['link', 'a', 'b'], failure('ENOENT')],
      [['mkdir', 'd/e'], failure('ENOENT')],
      [['readdir', 'd'], failure('ENOENT')],
    ],
    [
      'says what is not a directory',
      [['writeFile', 'a', 'x'], undefined],
      [['mkdir', 'a'], failure('EEXIST')],
      [['mkdir', 'a/b'], failure('ENOTDIR')],
      [['readdir', 'a'], failure('ENOTDIR')],
      [['open', 'a/b', 'wx'], failure('ENOTDIR')],
      [['exists', 'a/b'], false],
    ],
    [
      'takes no name that is too long',
      [['writeFile', 'x'.repeat(255), 'x'], undefined],
      [['writeFile', 'x'.repeat(256), 'x'], failure('ENAMETOOLONG')],
      [['mkdir', 'é'.repeat(128)], failure('ENAMETOOLONG')],
    ],
    [
      'takes no descriptor that is closed, nor one that is not for writing',
      [['writeFile', 'a', 'x'], undefined],
      [['open', 'a', 'r'], 0],
      [['write', 0, 'x'], failure('EBADF')],
      [['ftruncate', 0, 0], failure('EINVAL')],
      [['close', 0], undefined],
      [['close', 0], failure('EBADF')],
      [['fstat', 0], failure('EBADF')],
      [['fsync', 0], failure('EBADF')],
    ],
  ])('%s', (_title, ...steps) => {
    const perform = performer(place());
    for (const [call, expected] of steps as readonly (readonly [Call, unknown])[])
      expect(perform(call), JSON.stringify(call)).toEqual(expected);
  });

  test('has a file under its number, and a later time after each change', () => {
    const { fileSystem, home } = place();
    const file = path.join(home, 'a');
    const status = () => fileSystem.stat(file) ?? expect.fail('no such file');
    fileSystem.writeFile(file, 'x');
    const first = status();
    fileSystem.link(file, path.join(home, 'b'));
    expect(fileSystem.stat(path.join(home, 'b'))?.ino).toBe(first.ino);
    fileSystem.rm(file);
    fileSystem.writeFile(file, 'x');
    expect(status().ino).not.toBe(first.ino);
    expect(status().mtimeMs).toBeGreaterThanOrEqual(first.mtimeMs);
  });
});

test('whatever is done to files, both file systems do and say the same', () => {
  const name = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/a', 'a/x');
  const index = fc.nat({ max: 2 });
  const text = fc.constantFrom('', 'x', 'some text');
  const call: fc.Arbitrary<Call> = fc.oneof(
    fc.tuple(fc.constant('open'), name, fc.constantFrom('a', 'as', 'r', 'wx', 'wx+')),
    fc.tuple(fc.constant('write'), index, text),
    fc.tuple(fc.constantFrom('close', 'fstat', 'fsync'), index),
    fc.tuple(fc.constant('ftruncate'), index, fc.nat({ max: 8 })),
    fc.tuple(fc.constantFrom('exists', 'stat', 'readFile', 'rm', 'mkdir', 'readdir'), name),
    fc.tuple(fc.constant('writeFile'), name, text),
    fc.tuple(fc.constantFrom('rename', 'link'), name, name),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
      const [memory, machine] = [
        performer(inMemory()),
        performer({ fileSystem: nodeFileSystem, home: temporaryDirectory() }),
      ];
      for (const call of calls) expect(memory(call), JSON.stringify(call)).toEqual(machine(call));
    }),
    { numRuns: 300 },
  );
});
