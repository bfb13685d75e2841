import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

/** Fails until it was tried so often, and says each time which attempt it is. */
const tries = (id: string, attempts: number, more = '') =>
  `${id} [shape=parallelogram, max_retries=${attempts - 1}, tool_command="echo out $ATTRACTOR_ATTEMPT; echo err $ATTRACTOR_ATTEMPT >&2; test $ATTRACTOR_ATTEMPT -ge ${attempts}"${more}]`;

const around = (statements: string) =>
  `digraph p { start [shape=Mdiamond] end [shape=Msquare] ${statements} }`;

/** A run of a pipeline that has ended. */
async function ran(statements: string) {
  const cwd = directoryWith({ 'p.dot': around(statements) });
  expect(await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd })).toMatchObject({ status: 0 });
  const textOf = (...place: string[]) => readFileSync(path.join(cwd, 'r', ...place), 'utf8');
  const namesIn = (...place: string[]) => readdirSync(path.join(cwd, 'r', ...place)).sort();
  return { cwd, textOf, namesIn };
}

test('71b: what earlier attempts have printed is kept next to the latest', async () => {
  const { cwd, textOf, namesIn } = await ran(`${tries('t', 3)} start -> t -> end`);
  expect(namesIn('t')).toEqual(['attempt-1', 'attempt-2', 'status.json', 'stderr.log', 'stdout.log']);
  expect(textOf('t', 'stdout.log')).toBe('out 3\n');
  for (const attempt of [1, 2]) {
    expect(textOf('t', `attempt-${attempt}`, 'stdout.log')).toBe(`out ${attempt}\n`);
    expect(textOf('t', `attempt-${attempt}`, 'stderr.log')).toBe(`err ${attempt}\n`);
  }
  const latest = await attractor(['logs', 'r', '--output', 't'], { cwd });
  expect(latest).toEqual({
    status: 0,
    stdout: '==> stdout.log <==\nout 3\n==> stderr.log <==\nerr 3\n',
    stderr: 'attractor: earlier attempts: --attempt 1, 2\n',
  });
  const first = await attractor(['logs', 'r', '--output', 't', '--attempt', '1'], { cwd });
  expect(first).toEqual({
    status: 0,
    stdout: '==> stdout.log <==\nout 1\n==> stderr.log <==\nerr 1\n',
    stderr: '',
  });
  const none = await attractor(['logs', 'r', '--output', 't', '--attempt', '7'], { cwd });
  expect(none).toEqual({
    status: 2,
    stdout: '',
    stderr: 'attractor: there are no files of attempt 7 of "t"; attempts with files: 1, 2\n',
  });
  const report = await attractor(['report', 'r'], { cwd });
  expect(report.stdout).toMatch(
    /Output of attempt 1[\s\S]*out 1[\s\S]*Output of attempt 2[\s\S]*out 2[\s\S]*out 3/,
  );
});

test('71b: they go where their visit goes, in forks too', async () => {
  const { cwd, textOf, namesIn } = await ran(
    `${tries('t', 2)} again [shape=parallelogram, tool_command="test $ATTRACTOR_VISIT -ge 2"]
     start -> t -> again again -> end [condition="outcome=success"] again -> t [condition="outcome=fail"]`,
  );
  expect(namesIn('t')).toEqual(['attempt-1', 'status.json', 'stderr.log', 'stdout.log', 'visit-1']);
  expect(namesIn('t', 'visit-1')).toEqual(['attempt-1', 'status.json', 'stderr.log', 'stdout.log']);
  expect(textOf('t', 'visit-1', 'attempt-1', 'stdout.log')).toBe('out 1\n');
  const forked = await attractor(['fork', 'r', '--at', 'again', '--run-dir', 'f', '--no-run'], { cwd });
  expect(forked.status).toBe(0);
  expect(readFileSync(path.join(cwd, 'f', 't', 'attempt-1', 'stdout.log'), 'utf8')).toBe('out 1\n');
});
