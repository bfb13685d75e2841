import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ProcessTree, startOf } from '../../../src/handlers/tools/process-tree.js';
import { processes } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';

const marks = { ATTRACTOR_RUN_ID: randomUUID(), ATTRACTOR_STAGE_DIR: '/runs/1/a b' };

/** A process in a session of its own. */
async function begin(environment: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn('sleep', ['1000'], { env: environment, detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

/** The system ends a leader, for which nobody waits, when it has time. */
const hasEnded = (leader: ChildProcess) => waitFor('the end of the leader', () => !isAlive(leader));

const isAlive = ({ pid }: ChildProcess): boolean => processes().some((one) => one.pid === pid);

describe.skipIf(!existsSync('/proc/self/environ'))('A4: who belongs to a stage', () => {
  test.each<[name: string, environment: Readonly<Record<string, string>>, isMember: boolean]>([
    ['one with both marks', marks, true],
    ['one that has more besides', { ...marks, ATTRACTOR_COMMAND_ID: 'c', OTHER: 'x' }, true],
    ['not one of another stage', { ...marks, ATTRACTOR_STAGE_DIR: '/runs/1/a' }, false],
    ['not one of another run', { ...marks, ATTRACTOR_RUN_ID: `${marks.ATTRACTOR_RUN_ID}0` }, false],
    ['not one that lacks a mark', { ATTRACTOR_RUN_ID: marks.ATTRACTOR_RUN_ID }, false],
    ['not one that only talks of them', { NOTE: Object.values(marks).join(' ') }, false],
  ])('%s', async (_name, environment, isMember) => {
    const leader = await begin(marks);
    const other = await begin(environment);
    await new ProcessTree(leader.pid, marks).end();
    await hasEnded(leader);
    expect(isAlive(other)).toBe(!isMember);
  });

  test('not one that began before the leader', async () => {
    const earlier = await begin(marks);
    const leader = await begin(marks);
    // Its clock ticks 100 times a second: the next tick is certain, whatever it was when they began.
    const later = (startOf(leader.pid) ?? 0) + 1;
    await new ProcessTree(leader.pid, marks, later).end();
    await hasEnded(leader);
    expect(isAlive(earlier)).toBe(true);
  });

  test('only what belongs to one command, where several run for a stage', async () => {
    const [leader, own, other] = await Promise.all(
      ['one', 'one', 'two'].map((id) => begin({ ...marks, ATTRACTOR_COMMAND_ID: id })),
    );
    if (leader === undefined || own === undefined || other === undefined) throw new Error('no processes');
    const began = Math.min(startOf(leader.pid) ?? 0, startOf(own.pid) ?? 0);
    await new ProcessTree(leader.pid, { ...marks, ATTRACTOR_COMMAND_ID: 'one' }, began).end();
    await hasEnded(leader);
    expect([own, other].map(isAlive)).toEqual([false, true]);
  });

  test('also who is started while the others are killed', async () => {
    const sleep = `sleep ${100_000 + process.pid}`;
    const multiply = `n=0; while [ $n -lt 200 ]; do setsid ${sleep} & n=$((n + 1)); done; wait`;
    const leader = await begin(marks);
    const env = { ...process.env, ...marks };
    const breeder = spawn('sh', ['-c', multiply], { env, stdio: 'ignore', detached: true });
    await once(breeder, 'spawn');
    const sleepers = () => processes().filter((one) => one.command === sleep);
    await waitFor('the first ones', () => sleepers().length > 5);
    await new ProcessTree(leader.pid, marks).end();
    expect(sleepers()).toEqual([]);
  });
});
