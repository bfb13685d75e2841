import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readJournal } from '../../../src/journal/journal.js';
import { removeWhileWritten } from '../../support/temporary-directory.js';
import { waitFor } from '../../support/wait-for.js';
import { attractor, directoryWith, type Running, startAttractor } from './attractor.js';

// Processes that share a run directory, but not their numbers.

/** A PID namespace of its own, as each container has one. */
const container = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const isPermitted = spawnSync(container[0] ?? '', [...container.slice(1), 'true']).status === 0;
const notPermitted = 'unshare is missing or not permitted here, so that there are no PID namespaces';

const pipeline = `digraph shared {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="echo begun >> begun; until test -e go; do sleep 0.05; done"]
  start -> work -> done
}
`;

function beginIn(wrapper: readonly string[]): { readonly cwd: string; readonly running: Running } {
  const cwd = directoryWith({ 'shared.dot': pipeline });
  return { cwd, running: startAttractor(['run', 'shared.dot', '--run-dir', 'r'], { cwd, wrapper }) };
}

function linesOf(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

async function begun(wrapper = container): Promise<{ readonly cwd: string; readonly running: Running }> {
  const { cwd, running } = beginIn(wrapper);
  onTestFinished(() => running.kill('SIGKILL'));
  await running.until('its stage', () => linesOf(path.join(cwd, 'begun')) === 1);
  return { cwd, running };
}

/** The lock says then what it would say if its process had been silent for that long. */
function age(cwd: string, seconds: number): void {
  const lock = path.join(cwd, 'r', 'lock');
  const before = statSync(lock).mtimeMs / 1000 - seconds;
  utimesSync(lock, before, before);
}

/** The process of attractor, as it is called out here. */
function innerPid({ pid }: Running): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

const taken =
  /process \d+ on \S+, in another container or on another machine \(last sign of life \d+ s ago\)/;

describe('29: two containers that share a run directory', () => {
  test.for([
    ['from outside', []],
    ['from another container', container],
  ] as const)('agree about who executes the run: %s', async ([_name, wrapper], { skip }) => {
    if (!isPermitted) return skip(notPermitted);
    const { cwd, running } = await begun();
    const call = { cwd, wrapper };
    const refused = await attractor(['resume', 'r'], call);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(taken)]);
    const status = await attractor(['status', 'r', '--json'], call);
    expect(JSON.parse(status.stdout)).toMatchObject({
      status: 'running',
      process: { pid: 1, host: expect.stringMatching(/./) },
    });
    expect((await attractor(['status', 'r'], call)).stdout).toMatch(
      /process +1 on \S+ \(in another container/,
    );
    const asked = attractor(['pause', 'r', '--now'], call);
    expect((await running.finished).status).toBe(3);
    expect(await asked).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Process 1 on/) });
    writeFileSync(path.join(cwd, 'go'), '');
    expect(await attractor(['resume', 'r'], call)).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'begun'))).toBe(2);
    expect(readJournal(path.join(cwd, 'r/events.jsonl')).events.at(-1)?.type).toBe('PipelineCompleted');
  });

  test('do not both continue a run that waits', async ({ skip }) => {
    if (!isPermitted) return skip(notPermitted);
    const { cwd, running } = await begun();
    await attractor(['pause', 'r', '--now'], { cwd });
    await running.finished;
    const call = { cwd, wrapper: container };
    const both = [0, 1].map(() => startAttractor(['resume', 'r'], call));
    const first = await Promise.race(both.map(({ finished }) => finished));
    expect([first.status, first.stderr]).toEqual([2, expect.stringMatching(taken)]);
    await waitFor('the stage of the other', () => linesOf(path.join(cwd, 'begun')) === 2);
    writeFileSync(path.join(cwd, 'go'), '');
    const ends = await Promise.all(both.map(({ finished }) => finished));
    expect(ends.map(({ status }) => status).sort()).toEqual([0, 2]);
    expect(linesOf(path.join(cwd, 'begun'))).toBe(2);
  });

  test('take over what a killed one has left, once it has been silent for 30 s', async ({ skip }) => {
    if (!isPermitted) return skip(notPermitted);
    const { cwd, running } = await begun();
    running.kill('SIGKILL');
    await running.finished;
    const refused = await attractor(['resume', 'r'], { cwd });
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(taken)]);
    age(cwd, 31);
    const runs = await attractor(['status', 'r', '--json'], { cwd });
    expect(JSON.parse(runs.stdout)).toMatchObject({ status: 'interrupted', process: null });
    writeFileSync(path.join(cwd, 'go'), '');
    expect(await attractor(['resume', 'r'], { cwd, wrapper: container })).toMatchObject({ status: 0 });
  });

  test('do not write to the same journal when a stopped one wakes up', async ({ skip }) => {
    if (!isPermitted) return skip(notPermitted);
    const { cwd, running } = await begun();
    const pid = innerPid(running);
    process.kill(pid, 'SIGSTOP');
    age(cwd, 31);
    const other = startAttractor(['resume', 'r'], { cwd });
    onTestFinished(() => other.kill('SIGKILL'));
    await other.until('its stage', () => linesOf(path.join(cwd, 'begun')) === 2);
    process.kill(pid, 'SIGCONT');
    const woken = await running.finished;
    expect(woken.status).not.toBe(0);
    expect(woken.stderr).toMatch(
      /has taken this run over.*The run was stopped here, and nothing more was written/,
    );
    writeFileSync(path.join(cwd, 'go'), '');
    expect((await other.finished).status).toBe(0);
    const { events } = readJournal(path.join(cwd, 'r/events.jsonl'));
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('Pipeline'))).toEqual([
      'PipelineStarted',
      'PipelineResumed',
      'PipelineCompleted',
    ]);
  });
});

test('a run whose directory was removed leaves nothing behind, and a lock keeps no process alive', async () => {
  const { cwd, running } = await begun([]);
  await removeWhileWritten(path.join(cwd, 'r'));
  writeFileSync(path.join(cwd, 'go'), '');
  await running.finished;
  expect(existsSync(path.join(cwd, 'r', 'lock'))).toBe(false);
});
