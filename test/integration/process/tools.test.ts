import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startOf } from '../../../src/handlers/tools/process-tree.js';
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

describe.skipIf(!existsSync('/proc/self/stat'))(
  '36: a tool that is left when all that ran it is killed',
  () => {
    /** Notes each start, and whether an earlier one is still there; ends when it may. */
    const notes =
      'test -e pids && for p in $(cat pids); do grep -qs ") [^ZX]" /proc/$p/stat && echo $p >> beside; done; setsid sh -c "echo \\$\\$ >> pids; exec sleep 1000" & echo $$ >> pids; until test -e go; do sleep 0.05; done; kill $!';
    const pidsIn = (cwd: string): readonly number[] =>
      existsSync(path.join(cwd, 'pids'))
        ? readFileSync(path.join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
        : [];

    test('is stopped by resume, with what it has started, before its stage runs again', async () => {
      const cwd = directoryWith({ 'tools.dot': pipeline(notes) });
      const running = startAttractor(['run', 'tools.dot', '--run-dir', 'run'], { cwd });
      await running.until('the tool', () => pidsIn(cwd).length === 2);
      const spawners = spawnersOf(running.pid);
      for (const pid of spawners) process.kill(pid, 'SIGSTOP');
      running.kill('SIGKILL');
      await running.finished;
      for (const pid of spawners) process.kill(pid, 'SIGKILL');
      const left = pidsIn(cwd);
      expect(processes().filter(({ pid }) => left.includes(pid))).toHaveLength(2);
      const resumed = startAttractor(['resume', 'run'], { cwd });
      await resumed.until('the tool again', () => pidsIn(cwd).length === 4);
      expect(processes().filter(({ pid }) => left.includes(pid))).toEqual([]);
      writeFileSync(path.join(cwd, 'go'), '');
      const { status, stderr, stdout } = await resumed.finished;
      expect(status, stderr).toBe(0);
      expect(`${stdout}${stderr}`).toMatch(/the tool of "t" was still running \(process \d+\)/);
      expect(existsSync(path.join(cwd, 'beside'))).toBe(false);
      expect(existsSync(path.join(cwd, 'run/tools.jsonl'))).toBe(false);
    });

    test('is not looked for among processes that only have its number', async () => {
      const cwd = directoryWith({ 'tools.dot': pipeline('test -e go') });
      await attractor(['run', 'tools.dot', '--run-dir', 'run'], { cwd });
      const tool = { pid: process.pid, began: startOf(process.pid), stage_dir: path.join(cwd, 'run/t') };
      writeFileSync(path.join(cwd, 'run/tools.jsonl'), `${JSON.stringify(tool)}\n{"pid": torn`);
      writeFileSync(path.join(cwd, 'go'), '');
      expect(await attractor(['resume', 'run'], { cwd })).toMatchObject({ status: 0 });
    });
  },
);

test.skipIf(!existsSync('/proc/self/stat'))(
  '36: a TMPDIR that takes no directories fails the tool',
  async () => {
    const cwd = directoryWith({ 'tools.dot': pipeline('echo hello') });
    const { status, stderr, stdout } = await attractor(['run', 'tools.dot'], {
      cwd,
      env: { TMPDIR: '/proc' },
    });
    expect(status).toBe(1);
    expect(`${stdout}${stderr}`).toContain('no temporary directory can be created in /proc');
  },
);

test.skipIf(!existsSync('/proc/self/stat'))('36: a cache in /proc hangs no command', async () => {
  const cwd = directoryWith({ 'tools.dot': pipeline('echo hello') });
  const { status } = await attractor(['lint', 'tools.dot'], { cwd, env: { XDG_CACHE_HOME: '/proc' } });
  expect(status).toBe(0);
});

test.skipIf(!existsSync('/proc/self/stat'))('36: nor does a replay whose TMPDIR is /proc', async () => {
  const cwd = directoryWith({ 'tools.dot': pipeline('echo hello') });
  await attractor(['run', 'tools.dot', '--run-dir', 'r', '--record'], { cwd });
  const { stderr, status } = await attractor(['replay', 'r'], { cwd, env: { TMPDIR: '/proc' } });
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('no temporary directory can be created in /proc'),
  ]);
});
