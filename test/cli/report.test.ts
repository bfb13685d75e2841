import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { attractor } from './attractor.js';

const dot =
  'digraph tiny { start [shape=Mdiamond] a [prompt="Do it"] end [shape=Msquare] start -> a -> end }';

/** A directory with one run. */
async function place(): Promise<string> {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, 'p.dot'), dot);
  const { status } = await attractor(['run', path.join(directory, 'p.dot'), '--simulate'], {
    cwd: directory,
  });
  expect(status).toBe(0);
  return directory;
}

test('§9.6 attractor report writes the newest run, or the one that is named, to a file or to standard output', async () => {
  const directory = await place();
  const toFile = await attractor(['report', '-o', 'report.html'], { cwd: directory });
  expect(toFile).toEqual({ status: 0, stdout: '', stderr: '' });
  const page = readFileSync(path.join(directory, 'report.html'), 'utf8');
  expect(page).toMatch(/^<!doctype html>[\s\S]*<h1>tiny <span class="badge done">success[\s\S]*<\/html>\n$/);
  const id = /Run <code>([^<]*)</.exec(page)?.[1] ?? '';
  const toOutput = await attractor(['report', id], { cwd: directory });
  expect(toOutput.status).toBe(0);
  const timeless = (text: string): string => text.replace(/<footer>.*<\/footer>/, '');
  expect(timeless(toOutput.stdout)).toBe(timeless(page));
});

const refusals = [
  { argv: ['report', 'nothing'], says: 'there is no run "nothing"' },
  {
    argv: ['report', '-o', 'nowhere/report.html'],
    says: 'cannot write nowhere/report.html: its directory does not exist',
  },
  { argv: ['report', '-o', '.'], says: 'cannot write .: it is a directory' },
] as const;

test.each(refusals)('it says why there is no report: $says', async ({ argv, says }) => {
  const { status, stdout, stderr } = await attractor(argv, { cwd: await place() });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(says);
});
