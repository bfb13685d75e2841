import { expect, test, vi } from 'vitest';
import { RunHistory } from '../../src/cluster/run-history.js';
import { compile } from '../../src/compiler/compile.js';
import { decide } from '../../src/machine/decide.js';
import type { RunEvent } from '../../src/machine/event.js';
import { initialState } from '../../src/machine/state.js';
import type { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { comparableJournal } from '../../src/run/recording/comparable-journal.js';
import { run } from '../../src/run/run.js';
import { virtualClock } from '../../src/run/simulate/virtual-clock.js';
import {
  linePipelines,
  orderlyPipelines,
  outcomeSequences,
  pipelines,
} from '../machine/arbitrary-program.js';
import { failingBranches, listOf } from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { virtualStart } from '../support/virtual-clock.js';
import { handlersOf, submitted, WorkerDied } from './harness.js';

const numRuns = runsOf({ quick: 2, thorough: 30 });

vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

const inputs = Object.fromEntries([1, 2, 3].map((items) => [listOf(items), Array(items).fill('item')]));
const options = { ruleSettings: failingBranches, inputs };

/** Numbers of steps of workers that die; a run that gets nowhere with more of them waits for a person. */
const lives = fc.array(fc.nat({ max: 12 }), { maxLength: 3 });

async function localEvents(dot: string, handlers: HandlerRegistry): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  await run(compile(dot, { ruleSettings: failingBranches }), {
    ...options,
    handlers,
    clock: virtualClock({ start: virtualStart }),
    fileSystem: memoryFileSystem(),
    runDirectory: '/dev/null/local/run',
    onEvent: (event) => void events.push(event),
  });
  return events;
}

const places = {
  runDirectories: ['/dev/null/local/run', '/dev/null/worker/run', '/dev/null/submitted/run'],
  workingDirectories: [],
};

function essence(events: readonly RunEvent[]) {
  return [...comparableJournal(events, places)].map(([lane, entries]) => [
    lane,
    entries.map(({ text }) => text),
  ]);
}

/** Branches count steps and visits together: only without others is it certain how far each is. */
const branchByBranch = pipelines.map((dot) => dot.replace(/max_parallel="\d+"/g, 'max_parallel="1"'));

const certain = [
  ['lines', linePipelines],
  ['one branch after the other', branchByBranch],
] as const;
const families = [
  ['lines', linePipelines],
  ['orderly', orderlyPipelines],
  ['any', pipelines],
] as const;

test.each(certain)(
  'for %s: the log of the steps is the journal that one machine writes',
  async (_name, family) => {
    await fc.assert(
      fc.asyncProperty(family, outcomeSequences, async (dot, sequence) => {
        const handlers = handlersOf(sequence);
        const cluster = await submitted(dot, { ...options, handlers });
        await cluster.work();
        expect(essence(cluster.engine.events)).toEqual(essence(await localEvents(dot, handlers)));
      }),
      { numRuns },
    );
  },
);

test.each(families)('for %s: segments change nothing, whoever continues after one', async (_name, family) => {
  await fc.assert(
    fc.asyncProperty(family, outcomeSequences, lives, async (dot, sequence, lifetimes) => {
      const handlers = handlersOf(sequence);
      const cluster = await submitted(dot, { ...options, handlers });
      for (const mostSteps of lifetimes)
        await cluster.work({ mostSteps: mostSteps + 1, segmentInputs: 3 }).catch((error: unknown) => {
          if (!(error instanceof WorkerDied)) throw error;
        });
      const { view } = await cluster.work({ segmentInputs: 3 });
      const { submission, engine } = cluster;
      const whole = new RunHistory(submission);
      for (const batch of engine.batches) whole.add(batch);
      expect(view).toEqual(whole.view);
      expect(engine.segments.length).toBe(engine.batches.filter(({ ends }) => ends).length);
      expectOneOutcomeEach(engine.events);
      if (family === linePipelines)
        expect(essence(engine.events)).toEqual(essence(await localEvents(dot, handlers)));
    }),
    { numRuns },
  );
});

test('the recorded inputs alone give the recorded events', async () => {
  await fc.assert(
    fc.asyncProperty(pipelines, outcomeSequences, async (dot, sequence) => {
      const cluster = await submitted(dot, { ...options, handlers: handlersOf(sequence) });
      await cluster.work();
      const program = compile(dot, { ruleSettings: failingBranches }).program;
      if (program === undefined) throw new Error('not valid');
      let state = initialState;
      for (const { records } of cluster.engine.batches)
        for (const { inputs: given, events } of records) {
          const decided = given.flatMap((input) => {
            const decision = decide(program, state, input);
            state = decision.state;
            return decision.events;
          });
          expect(JSON.parse(JSON.stringify(decided))).toEqual(events);
        }
      expect(state.status).not.toBe('running');
    }),
    { numRuns },
  );
});

test.each(families)('for %s: workers that die anywhere change nothing', async (_name, family) => {
  await fc.assert(
    fc.asyncProperty(family, outcomeSequences, lives, async (dot, sequence, lifetimes) => {
      const handlers = handlersOf(sequence);
      const cluster = await submitted(dot, { ...options, handlers });
      const kept: string[] = [];
      for (const mostSteps of lifetimes) {
        await cluster.work({ mostSteps: mostSteps + 1 }).catch((error: unknown) => {
          if (!(error instanceof WorkerDied)) throw error;
        });
        const recorded = cluster.engine.batches.map((batch) => JSON.stringify(batch));
        expect(recorded.slice(0, kept.length)).toEqual(kept);
        kept.splice(0, kept.length, ...recorded);
      }
      await cluster.work();
      expectOneOutcomeEach(cluster.engine.events);
      // Branches are free to end in another order.
      if (family === linePipelines)
        expect(essence(cluster.engine.events)).toEqual(essence(await localEvents(dot, handlers)));
    }),
    { numRuns },
  );
});

/** What a stage came to is recorded once, whoever repeated it. */
function expectOneOutcomeEach(events: readonly RunEvent[]): void {
  const settled = events.flatMap((event) =>
    event.type === 'StageCompleted' || event.type === 'StageFailed'
      ? [JSON.stringify([event.branch, event.index, event.attempt])]
      : [],
  );
  expect(new Set(settled).size).toBe(settled.length);
}
