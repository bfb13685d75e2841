import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { linesOf } from '../../support/journal-of.js';
import { isGroupAlive, spawnersOf } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { directoryWith, type Running, startAttractor } from './attractor.js';

// A run whose process is stopped, dies, or is ended at once, seen from another process.

/** Notes that it was started, by which process, and waits until it may continue. */
const waits = 'echo $$ >> started; until test -f go; do sleep 0.02; done';

interface Steered {
  readonly cwd: string;
  readonly run: string;
  readonly running: Running;
  /** Lets the stage end that waits. */
  go(): void;
}

/** A run in a process of its own, with its first stage under way. */
async function steered(work = waits): Promise<Steered> {
  const cwd = directoryWith({
    'steered.dot': `digraph steered {
      start [shape=Mdiamond]
      done [shape=Msquare]
      work [shape=parallelogram, tool_command="${work}"]
      start -> work -> done
    }`,
  });
  const running = startAttractor(['run', 'steered.dot', '--run-dir', 'r'], { cwd });
  await running.until('the stage', () => timesStarted(cwd) === 1);
  return { cwd, run: path.join(cwd, 'r'), running, go: () => writeFileSync(path.join(cwd, 'go'), '') };
}

const timesStarted = (cwd: string) => linesOf(path.join(cwd, 'started')).length;
const requestsIn = (run: string) => readdirSync(run).filter((name) => name.startsWith('request'));

test('attractor pause tells when the process does not notice, and when it dies instead', async () => {
  const { cwd, run, running } = await steered();
  running.kill('SIGSTOP');
  const pausing = startAttractor(['pause', 'r'], { cwd });
  await pausing.until('the request', () => requestsIn(run).length === 1);
  await pausing.until('a word about it', () => pausing.output().includes('has not responded yet'));
  running.kill('SIGKILL');
  const { status, stderr } = await pausing.finished;
  expect(status).toBe(1);
  expect(stderr).toContain('it was interrupted: the process that executed it has died');
});

test('a request to a process that has died does not reach the next one', async () => {
  const { cwd, run, running, go } = await steered();
  running.kill('SIGSTOP');
  await attractor(['cancel', 'r', '--no-wait'], { cwd });
  await attractor(['pause', 'r', '--now', '--no-wait'], { cwd });
  expect(requestsIn(run)).toEqual(['request-cancel.json', 'request-pause.json']);
  const { stdout } = await attractor(['status', 'r', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'running', requested: 'cancel' });
  running.kill('SIGKILL');
  await running.finished;
  const resumed = startAttractor(['resume', 'r'], { cwd });
  await resumed.until('the stage', () => timesStarted(cwd) === 2);
  await resumed.until('the requests to be thrown away', () => requestsIn(run).length === 0);
  go();
  expect(await resumed.finished).toMatchObject({ status: 0 });
});

test('a third Ctrl-C ends the process at once, and leaves no tool behind', async () => {
  const { cwd, running, go } = await steered(`trap '' TERM; ${waits}`);
  // It would end the tool a moment after the second one, and the run with it, however late the third one comes.
  const spawners = spawnersOf(running.pid);
  for (const pid of spawners) process.kill(pid, 'SIGSTOP');
  try {
    running.kill('SIGINT');
    await running.until('the hint', () => running.output().includes('Ctrl-C again cancels'));
    running.kill('SIGINT');
    await running.until('the next', () => running.output().includes('ends this process at once'));
    running.kill('SIGINT');
    expect(await running.finished).toMatchObject({ status: 130 });
  } finally {
    for (const pid of spawners) process.kill(pid, 'SIGCONT');
  }
  const group = Number(linesOf(path.join(cwd, 'started')).at(-1));
  await waitFor('the tool to end', () => !isGroupAlive(group));
  go();
  expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
  expect(timesStarted(cwd)).toBe(2);
});
