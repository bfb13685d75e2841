import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { namedFiles, searchedFolder } from '../../src/cli/named-files.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const tree = [
  ...['top.dot', 'notes.txt', 'flows/b.dot', 'flows/a.dot', 'flows/deep/c.dot', 'flows/odd[1].dot'],
  ...['flows/.hidden/h.dot', 'node_modules/p/x.dot', '.attractor/runs/r/pipeline.dot', '.git/x.dot'],
];

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
  for (const file of tree) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    writeFileSync(path.join(directory, file), 'digraph G {}');
  }
  mkdirSync(path.join(directory, 'empty'));
  symlinkSync(path.join(directory, 'flows'), path.join(directory, 'flows/loop'));
});

const flows = ['flows/a.dot', 'flows/b.dot', 'flows/deep/c.dot', 'flows/odd[1].dot'];

describe('the files that a call names', () => {
  it.each<[what: string, args: readonly string[], files: readonly string[]]>([
    ['a file', ['top.dot'], ['top.dot']],
    ['a file of another kind', ['notes.txt'], ['notes.txt']],
    ['a file that is not there', ['missing.dot'], ['missing.dot']],
    ['standard input, once', ['-', '-'], ['-']],
    ['a directory', ['flows'], flows],
    ['a directory, written otherwise', ['./flows/'], flows],
    ['the current directory', ['.'], [...flows, 'top.dot']],
    ['a pattern', ['flows/*.dot'], ['flows/a.dot', 'flows/b.dot', 'flows/odd[1].dot']],
    ['a pattern through directories', ['**/*.dot'], [...flows, 'top.dot']],
    ['a pattern with alternatives', ['{top,flows/a}.dot'], ['top.dot', 'flows/a.dot'].sort()],
    ['a name that looks like a pattern', ['flows/odd[1].dot'], ['flows/odd[1].dot']],
    ['what is ignored, where it is named', ['.attractor'], ['.attractor/runs/r/pipeline.dot']],
    ['the same by a pattern', ['.attractor/**/*.dot'], ['.attractor/runs/r/pipeline.dot']],
    [
      'the same file twice',
      ['flows/b.dot', './flows/b.dot', 'flows'],
      ['flows/b.dot', ...without('flows/b.dot')],
    ],
    ['several in the order of the call', ['top.dot', 'flows/deep'], ['top.dot', 'flows/deep/c.dot']],
  ])('%s', async (_, args, files) => {
    expect(await namedFiles(args, { cwd: () => directory })).toMatchObject({ files, problems: [] });
  });

  it('are told apart: those that somebody named, and those that a directory has', async () => {
    const { found } = await namedFiles(['flows/b.dot', 'flows', 'flows/deep/*.dot'], {
      cwd: () => directory,
    });
    expect([...found]).toEqual(['flows/a.dot', 'flows/odd[1].dot']);
  });

  // Only Linux has such names.
  it.runIf(process.platform === 'linux')('are told where their names are not UTF-8', async () => {
    const odd = (name: string) => Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, 'latin1')]);
    for (const folder of ['flows/deep/f\xff', '.git/g\xff', 'flows/.h\xff']) mkdirSync(odd(folder));
    for (const file of ['flows/a\xff.dot', 'flows/a\xff.txt', 'flows/deep/f\xff/x.dot'])
      writeFileSync(odd(file), '');
    writeFileSync(path.join(directory, 'flows/a\ufffd.dot'), 'digraph G {}');
    const named = await namedFiles(['flows', 'flows/b*.dot'], { cwd: () => directory });
    expect([...named.files].sort()).toEqual([...flows, 'flows/a\ufffd.dot'].sort());
    expect([...named.problems].sort()).toEqual([
      'cannot read flows/a\ufffd.dot: its name is not UTF-8; rename it',
      'cannot read flows/deep/f\ufffd: its name is not UTF-8; rename it',
    ]);
  });

  it('have whole paths where the call has', async () => {
    const whole = flows.map((file) => path.join(directory, file));
    const patterns = [path.join(directory, 'flows'), path.join(directory, 'flows/**/*.dot')];
    for (const pattern of patterns) {
      expect((await namedFiles([pattern], { cwd: () => '/' })).files).toEqual(whole);
    }
  });

  it.each([
    ['empty', /no \.dot file below empty/],
    ['*.gv', /no file matches \*\.gv/],
    ['node_modules*/nothing/*.dot', /no file matches/],
  ])('are none for %s, which is a problem', async (argument, problem) => {
    const { files, problems } = await namedFiles([argument, 'top.dot'], { cwd: () => directory });
    expect(files).toEqual(['top.dot']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('where more of them may appear', () => {
  it.each<[argument: string, folder: string | undefined]>([
    ['flows', 'flows'],
    ['flows/**/*.dot', 'flows'],
    ['*.dot', '.'],
    ['top.dot', undefined],
    ['missing.dot', undefined],
    ['-', undefined],
  ])('for %s it is %s', (argument, folder) => {
    expect(searchedFolder(argument, directory)).toBe(folder);
  });
});

function without(file: string): readonly string[] {
  return flows.filter((other) => other !== file);
}
