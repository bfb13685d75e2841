import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRealDirectory, makeDirectoryBelow } from '../../src/run-directory/durable-file.js';
import { nodeFileSystem } from '../../src/run-directory/file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** A place, and a file elsewhere to which it may lead. */
function placeAndVictim(): { readonly place: string; readonly victim: string } {
  const home = temporaryDirectory();
  const victim = path.join(home, 'victim');
  writeFileSync(victim, 'precious');
  return { place: path.join(home, 'place'), victim };
}

const plants: readonly (readonly [string, (place: string, victim: string) => void, problem: string])[] = [
  ['a symbolic link', (place, victim) => symlinkSync(victim, place), 'it is a symbolic link'],
  ['a link to nothing', (place, victim) => symlinkSync(`${victim}.new`, place), 'it is a symbolic link'],
  ['a pipe', (place) => void execFileSync('mkfifo', [place]), 'it is a named pipe'],
  ['a link to a device', (place) => symlinkSync('/dev/zero', place), 'it is a symbolic link'],
];

describe.each(plants)('%s', (_name, plant, problem) => {
  test('is not read, not appended to, and replaced', () => {
    const { place, victim } = placeAndVictim();
    plant(place, victim);
    expect(() => nodeFileSystem.readFile(place)).toThrow(problem);
    for (const flags of ['a', 'as', 'r'] as const)
      expect(() => nodeFileSystem.open(place, flags)).toThrow(problem);
    nodeFileSystem.writeFile(place, 'new');
    expect(readFileSync(place, 'utf8')).toBe('new');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(existsSync(`${victim}.new`)).toBe(false);
    expect(readdirSync(path.dirname(place)).sort()).toEqual(['place', 'victim']);
  });
});

test('a device is neither read nor written', () => {
  expect(() => nodeFileSystem.readFile('/dev/null')).toThrow('it is a device');
  expect(() => nodeFileSystem.open('/dev/null', 'a')).toThrow('it is a device');
});

test('a hard link is not appended to, and replaced', () => {
  const { place, victim } = placeAndVictim();
  linkSync(victim, place);
  expect(() => nodeFileSystem.open(place, 'a')).toThrow('it is a hard link: the file has 2 names');
  nodeFileSystem.writeFile(place, 'new');
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

test('a file above the limit is refused', () => {
  const { victim } = placeAndVictim();
  expect(nodeFileSystem.readFile(victim, 8).toString()).toBe('precious');
  expect(() => nodeFileSystem.readFile(victim, 7)).toThrow('it has 8 bytes, and at most 7 are read');
});

test('a directory below that of a run is a real one', () => {
  const home = temporaryDirectory();
  mkdirSync(path.join(home, 'elsewhere'));
  symlinkSync('elsewhere', path.join(home, 'link'));
  expect(() => makeDirectoryBelow(home, 'link/inner')).toThrow(
    /link is not a directory, but a file or a link/,
  );
  expect(() => isRealDirectory(path.join(home, 'link'))).toThrow();
  expect(readdirSync(path.join(home, 'elsewhere'))).toEqual([]);
  expect(isRealDirectory(makeDirectoryBelow(home, 'a/b'))).toBe(true);
});
