import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor as resumeHere } from '../../cli/attractor.js';
import { linesOf } from '../../support/journal-of.js';
import { attractor, directoryWith, pause, startAttractor } from './attractor.js';

// A signal that comes early: while Node starts, while the pipeline is read, while the run directory is made.

const dot = `digraph early {
  start [shape=Mdiamond]
  done [shape=Msquare]
  one [shape=parallelogram, tool_command="echo one >> lines"]
  two [shape=parallelogram, tool_command="echo two >> lines"]
  start -> one -> two -> done
}
`;

const files = { 'early.dot': dot };
const runArguments = ['run', 'early.dot', '--run-dir', 'r'];

/** How long a run takes here and now that nobody disturbs. */
async function undisturbedMs(): Promise<number> {
  const begun = performance.now();
  await attractor(runArguments, { cwd: directoryWith(files) });
  return performance.now() - begun;
}

describe('a signal at a random moment of its start', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s: nothing was made, or it can be resumed',
    async (signal) => {
      const span = await undisturbedMs();
      for (let round = 0; round < 6; round += 1) {
        await Promise.all([0, 1, 2, 3].map(() => interruptOne(signal, Math.random() * span)));
      }
    },
  );

  async function interruptOne(signal: NodeJS.Signals, after: number): Promise<void> {
    const cwd = directoryWith(files);
    const running = startAttractor(runArguments, { cwd });
    await pause(after);
    running.kill(signal);
    const { status, stdout, stderr } = await running.finished;
    const printed = stdout + stderr;
    if (!existsSync(path.join(cwd, 'r'))) {
      // Before there is anything to tell, the signal may do what it does to every process.
      expect([null, 130]).toContain(status);
      if (status === 130) expect(printed).toContain('the run was not started, and nothing was created');
      expect(linesOf(path.join(cwd, 'lines'))).toEqual([]);
      return;
    }
    const isOver = stdout.includes('✔ success');
    if (!isOver) {
      expect(status).toBe(130);
      expect(printed).toContain('resume:        attractor resume r');
    }
    expect(await resumeHere(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(new Set(linesOf(path.join(cwd, 'lines')))).toEqual(new Set(['one', 'two']));
  }
});

test('a run that waits for its pipeline on standard input ends at the first signal', async () => {
  const cwd = directoryWith({});
  const span = await undisturbedMs();
  const running = startAttractor(['run', '-'], { cwd, input: 'open' });
  // Nothing tells from outside that it is reading.
  await pause(span);
  running.kill('SIGINT');
  const { status } = await running.finished;
  expect([null, 130]).toContain(status);
  expect(existsSync(path.join(cwd, '.attractor'))).toBe(false);
});
