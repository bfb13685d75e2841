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
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

const messy = 'digraph G {a->b;key.a=5 // why\n}';
const neat = 'digraph G {\n    a -> b\n    "key.a"=5 // why\n}\n';
const wrong = 'digraph G { a [x=1 y=2] }\n';

const read = (cwd: string, file: string) => readFileSync(path.join(cwd, file), 'utf8');

describe('98: fmt', () => {
  test('formats files in place and names those that it has changed', async () => {
    const cwd = directoryWith({ 'messy.dot': messy, 'neat.dot': neat });
    const before = statSync(path.join(cwd, 'neat.dot'));
    const finished = await attractor(['fmt', 'messy.dot', 'neat.dot'], { cwd });
    expect(finished).toEqual({ status: 0, stdout: '', stderr: 'formatted messy.dot\n' });
    expect(read(cwd, 'messy.dot')).toBe(neat);
    expect(statSync(path.join(cwd, 'neat.dot'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(readdirSync(cwd).sort()).toEqual(['messy.dot', 'neat.dot']);
  });

  test('finds the files of a directory and of a pattern', async () => {
    const cwd = directoryWith({ 'one.dot': messy, 'other.txt': messy });
    mkdirSync(path.join(cwd, 'deep'));
    writeFileSync(path.join(cwd, 'deep/two.dot'), messy);
    expect(await attractor(['fmt', 'deep', '*.dot'], { cwd })).toMatchObject({ status: 0 });
    expect([read(cwd, 'one.dot'), read(cwd, 'deep/two.dot')]).toEqual([neat, neat]);
    expect(read(cwd, 'other.txt')).toBe(messy);
  });

  test('--check changes nothing, names what would change, and fails', async () => {
    const cwd = directoryWith({ 'messy.dot': messy, 'neat.dot': neat });
    const finished = await attractor(['fmt', '--check', '.'], { cwd });
    expect(finished).toMatchObject({ status: 1, stdout: 'messy.dot\n' });
    expect(finished.stderr).toMatch(/not formatted/);
    expect(read(cwd, 'messy.dot')).toBe(messy);
    expect(await attractor(['fmt', '--check', 'neat.dot'], { cwd })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('reads standard input and prints the result', async () => {
    expect(await attractor(['fmt', '-'], { input: messy })).toEqual({ status: 0, stdout: neat, stderr: '' });
    expect(await attractor(['fmt', '-'], { input: neat })).toEqual({ status: 0, stdout: neat, stderr: '' });
    const checked = await attractor(['fmt', '--check', '-'], { input: messy });
    expect(checked).toMatchObject({ status: 1, stdout: '<stdin>\n' });
  });

  test('refuses a file with a syntax error, says where it is, and continues with the others', async () => {
    const cwd = directoryWith({ 'a.dot': wrong, 'b.dot': messy });
    const finished = await attractor(['fmt', 'a.dot', 'b.dot'], { cwd });
    expect(finished).toMatchObject({ status: 1, stdout: '' });
    expect(finished.stderr).toMatch(/a\.dot:1:19: error\[syntax\/missing_comma\]/);
    expect([read(cwd, 'a.dot'), read(cwd, 'b.dot')]).toEqual([wrong, neat]);
    expect(await attractor(['fmt', '-'], { input: wrong })).toMatchObject({ status: 1, stdout: '' });
  });

  test('says what it cannot read, and continues with the others', async () => {
    const cwd = directoryWith({ 'binary.dot': Uint8Array.of(0xff, 0xfe, 0x41), 'b.dot': messy });
    const finished = await attractor(['fmt', 'missing.dot', 'binary.dot', 'b.dot'], { cwd });
    expect(finished).toMatchObject({ status: 2 });
    expect(finished.stderr).toMatch(/missing\.dot: it does not exist[\s\S]*binary\.dot: it is not UTF-8/);
    expect(read(cwd, 'b.dot')).toBe(neat);
  });

  test('takes a byte order mark away, with which Graphviz cannot read a file', async () => {
    const cwd = directoryWith({ 'marked.dot': `\ufeff${neat}` });
    expect(await attractor(['fmt', '--check', 'marked.dot'], { cwd })).toMatchObject({ status: 1 });
    expect(await attractor(['fmt', 'marked.dot'], { cwd })).toMatchObject({ status: 0 });
    expect(read(cwd, 'marked.dot')).toBe(neat);
  });
});

describe.skipIf(process.platform === 'win32').concurrent('98: a file that fmt replaces', () => {
  test('keeps its permissions', async () => {
    const cwd = directoryWith({ 'messy.dot': messy });
    chmodSync(path.join(cwd, 'messy.dot'), 0o751);
    expect(await attractor(['fmt', 'messy.dot'], { cwd })).toMatchObject({ status: 0 });
    expect(statSync(path.join(cwd, 'messy.dot')).mode & 0o777).toBe(0o751);
  });

  test('stays behind the link that names it', async () => {
    const cwd = directoryWith({ 'messy.dot': messy });
    symlinkSync('messy.dot', path.join(cwd, 'link.dot'));
    expect(await attractor(['fmt', 'link.dot'], { cwd })).toMatchObject({ status: 0 });
    expect(read(cwd, 'messy.dot')).toBe(neat);
  });
});
