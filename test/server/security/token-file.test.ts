import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { newToken } from '../../../src/server/security/server-token.js';
import { openTokenFile } from '../../../src/server/security/token-file.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('§9.5 the token file', () => {
  test('is made for its owner alone, and kept', () => {
    const directory = path.join(temporaryDirectory(), 'config', 'attractor');
    const file = path.join(directory, 'token');
    const token = openTokenFile(file);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([modeOf(file), modeOf(directory)]).toEqual(['600', '700']);
    expect(openTokenFile(file)).toBe(token);
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    expect(readdirSync(directory)).toEqual(['token']);
  });

  test('has another token in every place', () => {
    expect(openTokenFile(path.join(temporaryDirectory(), 'a'))).not.toBe(
      openTokenFile(path.join(temporaryDirectory(), 'a')),
    );
  });

  const refused: readonly (readonly [what: string, make: (file: string) => void, message: RegExp])[] = [
    ['one that a group may read', (file) => write(file, newToken(), 0o640), /mode 0640.*chmod 600/],
    ['one that everybody may read', (file) => write(file, newToken(), 0o604), /mode 0604/],
    ['one that others may write', (file) => write(file, newToken(), 0o602), /mode 0602/],
    ['an empty one', (file) => write(file, ''), /holds no token/],
    ['one with something else in it', (file) => write(file, 'password'), /holds no token/],
    ['a directory', (file) => mkdirSync(file), /is not a file/],
    ['a link', (file) => symlinkSync('elsewhere', file), /is a symbolic link/],
  ];
  test.each(refused)('is not %s', (_what, make, message) => {
    const file = path.join(temporaryDirectory(), 'token');
    make(file);
    expect(() => openTokenFile(file)).toThrow(message);
    expect(() => openTokenFile(file)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('says what is wrong with its place', () => {
    const directory = temporaryDirectory();
    write(path.join(directory, 'file'), '');
    const file = path.join(directory, 'file', 'token');
    expect(() => openTokenFile(file)).toThrow(`the token file ${file}:`);
  });
});

function write(file: string, text: string, mode = 0o600): void {
  writeFileSync(file, text);
  chmodSync(file, mode);
}
