import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDirectory, writeFileAtomically } from '../../src/run-directory/durable-file.js';
import { nodeFileSystem } from '../../src/run-directory/file-system.js';
import { faultyFileSystem } from '../support/faulty-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('makeDirectory', () => {
  test('creates what is missing above, and takes what is there', () => {
    const directory = path.join(temporaryDirectory(), 'a', 'b', 'c');
    makeDirectory(directory);
    makeDirectory(directory);
    expect(statSync(directory).isDirectory()).toBe(true);
  });

  test('tells git to leave a new .attractor out, and respects one that is there', () => {
    const project = temporaryDirectory();
    const ignored = path.join(project, '.attractor', '.gitignore');
    makeDirectory(path.join(project, '.attractor', 'runs', 'first'));
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
    rmSync(ignored);
    makeDirectory(path.join(project, '.attractor', 'runs', 'second'));
    expect(existsSync(ignored)).toBe(false);
  });

  test.runIf(existsSync('/proc/self'))('comes back with an error where the system takes no directory', () => {
    expect(() => makeDirectory('/proc/nope/deeper')).toThrow(/ENOENT|EACCES|EPERM/);
  });
});

describe('writeFileAtomically', () => {
  test('replaces a file and leaves nothing else behind', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'view.json');
    writeFileAtomically(file, 'old');
    writeFileAtomically(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(directory)).toEqual(['view.json']);
  });

  test.each(['write', 'fsync', 'close', 'rename'])(
    'leaves nothing else behind when %s fails',
    (operation) => {
      const directory = temporaryDirectory();
      const file = path.join(directory, 'view.json');
      writeFileAtomically(file, 'old');
      const healthy = faultyFileSystem();
      writeFileAtomically(file, 'old', healthy);
      const call = healthy.calls.findIndex((made) => made.startsWith(operation)) + 1;
      const fault = { call, code: 'ENOSPC', done: 'half', lasts: false } as const;
      expect(() => writeFileAtomically(file, 'new', faultyFileSystem({ fault }))).toThrow('ENOSPC');
      expect(readFileSync(file, 'utf8')).toBe('old');
      expect(readdirSync(directory)).toEqual(['view.json']);
    },
  );

  test('gives up where the system takes nothing and says nothing', () => {
    const file = path.join(temporaryDirectory(), 'view.json');
    const fileSystem = { ...nodeFileSystem, write: () => 0 };
    expect(() => writeFileAtomically(file, 'new', fileSystem)).toThrow('wrote none of it');
  });

  test('leaves the old content where it cannot write', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'view.json');
    writeFileAtomically(file, 'old');
    const fault = { call: 1, code: 'EIO', done: 'nothing', lasts: true } as const;
    expect(() => writeFileAtomically(file, 'new', faultyFileSystem({ fault }))).toThrow('EIO');
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});
