import { describe, expect, test } from 'vitest';
import { initialState, mainCursor } from '../../../src/machine/state.js';
import { CheckpointSchedule } from '../../../src/run/driver/checkpoint-schedule.js';
import type { Clock } from '../../../src/run/driver/clock.js';
import { Driver } from '../../../src/run/driver/driver.js';
import { absentInterviewer } from '../../../src/run/questions/interviewer.js';
import { memoryStore } from '../../../src/run/simulate/memory-store.js';
import { ArtifactStore } from '../../../src/run-directory/artifact-store.js';
import type { RunStore } from '../../../src/run-directory/run-store.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { pipeline, programOf } from '../harness.js';

interface CountingStore extends RunStore {
  readonly written: { journal: number; checkpoints: number; checkpointCount: number; syncs: number };
}

/** A store that keeps nothing, and counts the bytes that it is given. */
function countingStore(): CountingStore {
  const written = { journal: 0, checkpoints: 0, checkpointCount: 0, syncs: 0 };
  return {
    ...memoryStore(),
    written,
    journal: {
      get size() {
        return written.journal;
      },
      append(events) {
        for (const event of events) written.journal += JSON.stringify(event).length + 1;
      },
      appendDurably(events) {
        this.append(events);
        this.sync();
      },
      syncSoon() {
        this.sync();
        return Promise.resolve();
      },
      sync() {
        written.syncs += 1;
      },
    },
    writeCheckpoint(checkpoint) {
      const size = JSON.stringify(checkpoint, null, 2).length;
      written.checkpoints += size;
      written.checkpointCount += 1;
      return size;
    },
  };
}

/** @param stageMs how long a stage takes */
async function runSteps(steps: number, stageMs = 0) {
  const dot = pipeline(`max_steps=${steps}`, 'a', 'b', 'start -> a -> b', 'b -> a [weight=1]', 'b -> exit');
  const program = programOf(dot);
  const store = countingStore();
  const clock = virtualClock();
  let now = clock.now();
  const driver = new Driver(program, initialState, {
    store,
    clock: { ...clock, now: () => now },
    interviewer: absentInterviewer,
    handlerOf: () => ({
      execute: () => {
        now += stageMs;
        return { status: 'success' };
      },
    }),
    onEvent: undefined,
    artifacts: new ArtifactStore({ now: () => 0 }),
    history: undefined,
    settings: {},
    sharesFlushes: false,
    workingDirectory: '/nowhere',
    graphHash: 'hash',
  });
  const state = await driver.run({ kind: 'start', runId: 'run', graphHash: 'hash', inputs: {} });
  expect(state.cursors.get(mainCursor)?.steps).toBe(steps);
  return store.written;
}

describe('DESIGN 1.5: linear cost', () => {
  test('a run of ten times the steps writes ten times the bytes', async () => {
    const short = await runSteps(500);
    const long = await runSteps(5000);
    expect(long.journal / short.journal).toBeLessThan(11);
    expect(long.checkpoints / short.checkpoints).toBeLessThan(11);
    // And checkpoints are not the larger part of it.
    expect(long.checkpoints).toBeLessThan(2 * long.journal);
    expect(long.syncs).toBeLessThan(2 * 5000 + 10);
  });

  test('slow stages, after each of which there is time for a checkpoint, do not write one each time', async () => {
    const { checkpoints, journal } = await runSteps(5000, 60_000);
    expect(checkpoints).toBeLessThan(8 * journal);
  });

  test('66b: a short run saves after every node', async () => {
    expect((await runSteps(20)).checkpointCount).toBeGreaterThanOrEqual(20);
  });
});

describe('the schedule of checkpoints', () => {
  /** A schedule that has saved so often that it begins to spare, with a journal of 1000 bytes and a checkpoint of 500. */
  function sparing() {
    let now = 0;
    const clock: Clock = { now: () => now, random: () => 0, sleep: () => Promise.resolve() };
    const schedule = new CheckpointSchedule(clock);
    for (let count = 0; count < 20; count += 1) {
      expect(schedule.isDue(1000)).toBe(true);
      schedule.saved(1000, 500, now);
    }
    return {
      schedule,
      at: (milliseconds: number) => {
        now = milliseconds;
      },
    };
  }

  test('the journal has to grow by its own size', () => {
    const { schedule } = sparing();
    expect(schedule.isDue(1999)).toBe(false);
    expect(schedule.isDue(2000)).toBe(true);
  });

  test('or by an eighth of the checkpoint, and a moment has to pass', () => {
    const { schedule, at } = sparing();
    at(249);
    expect(schedule.isDue(1063)).toBe(false);
    at(250);
    expect(schedule.isDue(1062)).toBe(false);
    expect(schedule.isDue(1063)).toBe(true);
  });

  test('the longer the saving takes, the longer the moment', () => {
    const { schedule, at } = sparing();
    at(50);
    schedule.saved(1000, 500, 0);
    at(2549);
    expect(schedule.isDue(1063)).toBe(false);
    at(2550);
    expect(schedule.isDue(1063)).toBe(true);
  });

  test('runs that share a process share the time too, each for itself as long as they are few', () => {
    let runs = 8;
    let now = 0;
    const clock: Clock = { now: () => now, random: () => 0, sleep: () => Promise.resolve() };
    const schedule = new CheckpointSchedule(clock, () => runs);
    schedule.saved(1000, 500, 0);
    schedule.saved(1000, 500, 0);
    expect(schedule.isSparing).toBe(false);
    runs = 200;
    expect(schedule.isSparing).toBe(true);
    now = 10;
    schedule.saved(1000, 500, 0);
    now = 10 + 10 * 50 * 200 - 1;
    expect(schedule.isDue(1063)).toBe(false);
    expect(schedule.isDue(2000)).toBe(true);
    now += 1;
    expect(schedule.isDue(1063)).toBe(true);
  });
});
