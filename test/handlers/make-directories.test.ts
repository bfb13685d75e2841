import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  makeChosenTemporaryDirectory,
  makeDirectories,
  makeTemporaryDirectory,
} from '../../src/handlers/make-directories.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function useTemporaryPlace(place: string): void {
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const sources = path.resolve(import.meta.dirname, '../../src');

describe('36: directories are made, or refused with a reason, but nothing waits', () => {
  test('with those above them', () => {
    const directory = path.join(temporaryDirectory(), 'a/b/c');
    makeDirectories(directory, 0o700);
    makeDirectories(directory);
    expect(statSync(directory).isDirectory()).toBe(true);
    expect(statSync(path.dirname(directory)).mode & 0o777).toBe(0o700);
  });

  test('below a file there are none', () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(() => makeDirectories(path.join(file, 'a'))).toThrow(/ENOTDIR|EEXIST/);
  });

  test.runIf(existsSync('/proc/self'))('in /proc there are none', () => {
    expect(() => makeDirectories('/proc/attractor/a/b')).toThrow('ENOENT');
  });

  const unusable: readonly (readonly [string, () => string])[] = [
    ['/proc', () => '/proc'],
    [
      'a file',
      () => {
        const file = path.join(temporaryDirectory(), 'file');
        writeFileSync(file, '');
        return file;
      },
    ],
    ['below a file', () => '/dev/null/tmp'],
  ];

  test.each(unusable)('nor temporary ones in %s, which names TMPDIR', (_name, placeOf) => {
    const place = placeOf();
    useTemporaryPlace(place);
    const refusal =
      /^no temporary directory can be created in .*; set TMPDIR to a directory that you may write to$/;
    expect(() => makeTemporaryDirectory('attractor-')).toThrow(refusal);
    expect(() => makeChosenTemporaryDirectory(path.join(place, 'chosen'))).toThrow(refusal);
  });

  test('temporary ones are for this user alone, and no two are the same', () => {
    const place = path.join(temporaryDirectory(), 'not yet');
    useTemporaryPlace(place);
    const made = [makeTemporaryDirectory('one-'), makeTemporaryDirectory('one-')];
    expect(readdirSync(place).sort()).toEqual(made.map((directory) => path.basename(directory)).sort());
    for (const directory of made) expect(statSync(directory).mode & 0o777).toBe(0o700);
    mkdirSync(path.join(place, 'taken'));
    expect(() => makeChosenTemporaryDirectory(path.join(place, 'taken'))).toThrow('EEXIST');
  });

  // Node's own never comes back below /proc.
  test('no other file of the sources makes directories with those above, or temporary ones', () => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const found = files.filter((name) => {
      const text = readFileSync(path.join(sources, name), 'utf8');
      return /mkdtemp|mkdir(?:Sync)?\([^;]*recursive: true/.test(text);
    });
    expect(found).toEqual(['handlers/make-directories.ts']);
  });
});
