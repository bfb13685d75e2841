import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isGroupAlive, processes, spawnersOf } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { attractor, directoryWith, startAttractor, temporaryDirectory } from './attractor.js';

// What remains of the tools of a process that ends, however it ends (SEMANTICS 59a).

/** A pipeline with one tool. */
function pipeline(command: string, attributes = ''): string {
  const tool = `t [shape=parallelogram, tool_command=${JSON.stringify(command)}${attributes}]`;
  return `digraph tools {\n  start [shape=Mdiamond]\n  done [shape=Msquare]\n  ${tool}\n  start -> t -> done\n}\n`;
}

/** Leaves its process id, prints what it is given, and ignores every request to end. */
const stubborn = (print: string) =>
  `trap '' TERM HUP INT; sh -c 'trap "" TERM; while :; do sleep 0.05; done' & ${print}; echo $$ > pid; while :; do sleep 0.05; done`;

function groupOf(cwd: string): number {
  return Number(readFileSync(path.join(cwd, 'pid'), 'utf8'));
}

function begun(command: string) {
  const cwd = directoryWith({ 'tools.dot': pipeline(command) });
  const temporary = temporaryDirectory();
  const running = startAttractor(['run', 'tools.dot', '--run-dir', 'run'], {
    cwd,
    env: { TMPDIR: temporary },
  });
  const hasBegun = (): boolean => existsSync(path.join(cwd, 'pid')) && groupOf(cwd) > 0;
  return { cwd, temporary, running, begun: running.until('the tool runs', hasBegun) };
}

describe.skipIf(!existsSync('/proc/self/stat'))(
  'no process outlives the process that runs the pipeline',
  () => {
    test('when it is killed: neither a tool that ignores signals nor who started it', async () => {
      const { cwd, temporary, running, ...when } = begun(stubborn('echo out; echo err >&2'));
      await when.begun;
      const spawner = spawnersOf(running.pid);
      expect(spawner).not.toEqual([]);
      running.kill('SIGKILL');
      await running.finished;
      await waitFor('the end of the tool', () => !isGroupAlive(groupOf(cwd)));
      await waitFor('the end of the spawner', () => !processes().some(({ pid }) => spawner.includes(pid)));
      expect(readFileSync(path.join(cwd, 'run/t/stdout.log'), 'utf8')).toBe('out\n');
      expect(readFileSync(path.join(cwd, 'run/t/stderr.log'), 'utf8')).toBe('err\n');
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('when it is done', async () => {
      const cwd = directoryWith({ 'tools.dot': pipeline('echo $PPID > spawner') });
      const temporary = temporaryDirectory();
      const { status } = await attractor(['run', 'tools.dot'], { cwd, env: { TMPDIR: temporary } });
      expect(status).toBe(0);
      const spawner = Number(readFileSync(path.join(cwd, 'spawner'), 'utf8'));
      await waitFor('the end of the spawner', () => !processes().some(({ pid }) => pid === spawner));
      expect(readdirSync(temporary)).toEqual([]);
    });
  },
);

test('59: what a tool has printed can be read while it runs', async () => {
  const { cwd, running, ...when } = begun(
    "head -c 1000000 /dev/zero | tr '\\0' x; echo $$ > pid; exec sleep 1000",
  );
  await when.begun;
  const log = path.join(cwd, 'run/t/stdout.log');
  await waitFor('the whole output', () => existsSync(log) && statSync(log).size === 1_000_000);
  running.kill('SIGKILL');
  await running.finished;
  await waitFor('the end of the tool', () => !isGroupAlive(groupOf(cwd)));
});

test('a tool whose spawner is killed may be tried again', async () => {
  const command = 'test -e again && exit 0; touch again; kill -9 $PPID; exec sleep 1000';
  const cwd = directoryWith({ 'tools.dot': pipeline(command, ', max_retries=1') });
  const { status, stdout } = await attractor(['run', 'tools.dot', '--json', '--run-dir', 'run'], { cwd });
  expect([status, JSON.parse(stdout).status]).toEqual([0, 'success']);
  expect(readFileSync(path.join(cwd, 'run/events.jsonl'), 'utf8')).toContain(
    'the process that runs the tools has ended (SIGKILL)',
  );
});
