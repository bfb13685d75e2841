import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readKeyFile, usualKeyFile } from '../../src/backends/key-file.js';
import { parseKeyFile } from '../../src/backends/parse-key-file.js';
import { RunError } from '../../src/run-directory/run-error.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function keyFile(mode: number, text = 'A_KEY=value\n'): string {
  const file = path.join(temporaryDirectory(), 'my keys.env');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe('who may open a key file', () => {
  test.each([0o600, 0o400, 0o700, 0o500])('nobody else: %o is read', (mode) => {
    expect(readKeyFile(keyFile(mode), true)?.variables.get('A_KEY')).toBe('value');
  });

  test.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o660, 0o666, 0o610, 0o601, 0o777])(
    'others: %o is refused, with what to do',
    (mode) => {
      const file = keyFile(mode);
      const shown = mode.toString(8).padStart(4, '0');
      expect(() => readKeyFile(file, true)).toThrow(
        `the key file ${file} is open to others (its mode is ${shown}). Close it to them: chmod 600 '${file}'`,
      );
    },
  );

  test('what it is a link to decides', () => {
    const link = path.join(temporaryDirectory(), 'link');
    symlinkSync(keyFile(0o644), link);
    expect(() => readKeyFile(link, true)).toThrow('is open to others');
  });

  test.runIf(process.getuid?.() === 0)('one of another user is refused', async () => {
    const { chownSync } = await import('node:fs');
    const file = keyFile(0o600);
    chownSync(file, 65534, 65534);
    expect(() => readKeyFile(file, true)).toThrow('belongs to the user 65534, and not to you (0)');
  });

  test('a directory is not a file', () => {
    const directory = path.join(temporaryDirectory(), 'keys.env');
    mkdirSync(directory, { mode: 0o700 });
    expect(() => readKeyFile(directory, true)).toThrow('is not a file');
  });

  test('one that is missing is a mistake only where the configuration names it', () => {
    const file = path.join(temporaryDirectory(), 'none', 'keys.env');
    expect(readKeyFile(file, false)).toBeUndefined();
    expect(() => readKeyFile(file, true)).toThrow(`the key file ${file} cannot be read`);
  });
});

test.each([
  [{ XDG_CONFIG_HOME: '/xdg', HOME: '/home/me' }, '/xdg/attractor/keys.env'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/home/me' }, '/home/me/.config/attractor/keys.env'],
  [{ HOME: '/home/me' }, '/home/me/.config/attractor/keys.env'],
  [{ HOME: '' }, undefined],
  [{}, undefined],
])('with %o it is looked for in %s', (variables, file) => {
  expect(usualKeyFile(variables)).toBe(file);
});

describe('what a key file says', () => {
  test.each([
    ['A=1', { A: '1' }],
    ['\uFEFFA=1\r\nB = 2 \r\n', { A: '1', B: '2' }],
    ['# comment\n\n  A=x # behind\nB=x#y', { A: 'x', B: 'x#y' }],
    ["A='x # $y \\n' # z", { A: 'x # $y \\n' }],
    ['A="x \\"y\\" \\\\ \\n"', { A: 'x "y" \\ \n' }],
    ['A=\nB=""', { A: '', B: '' }],
    ['A=#', { A: '' }],
    ['A=1\nA=2', { A: '2' }],
    ['__proto__=x', { ['__proto__']: 'x' }],
  ])('%j', (text, expected) => {
    expect([...parseKeyFile('keys.env', text).variables]).toEqual(Object.entries(expected));
  });

  test('`export` hands a key to tools', () => {
    const { variables, exported } = parseKeyFile('keys.env', 'export A=1\nB=2\nexported=3');
    expect([...variables.keys()]).toEqual(['A', 'B', 'exported']);
    expect([...exported]).toEqual(['A']);
  });

  test.each([
    ['A=1\nsecret-without-name', 'keys.env:2: expected NAME=value'],
    ['1A=x', 'keys.env:1: expected NAME=value'],
    ['A="not closed', 'keys.env:1: expected a value with its quotes closed in the same line'],
    ["A='x' y", 'keys.env:1: expected a value with its quotes closed in the same line'],
  ])('%j is refused, and not shown', (text, message) => {
    expect(() => parseKeyFile('keys.env', text)).toThrow(new RunError('usage', message));
  });
});
