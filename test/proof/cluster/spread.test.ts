import { expect, test, vi } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { noUsage } from '../../../src/machine/usage.js';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { comparableJournal } from '../../../src/run/recording/comparable-journal.js';
import { handlersOf, submitted, WorkerDied } from '../../cluster/harness.js';
import { outcomeSequences, pipelines } from '../../machine/arbitrary-program.js';
import { failingBranches, listOf } from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';

const numRuns = runsOf(60);

vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

const inputs = Object.fromEntries([1, 2, 3].map((items) => [listOf(items), Array(items).fill('item')]));
const options = { ruleSettings: failingBranches, inputs };

const places = {
  runDirectories: ['/dev/null/worker/run', '/dev/null/submitted/run'],
  workingDirectories: [],
};

function essence(events: readonly RunEvent[]) {
  return [...comparableJournal(events, places)].map(([lane, entries]) => [
    lane,
    entries.map(({ text }) => text),
  ]);
}

/**
 * Branches count steps and visits together: only without others is it certain how far each is. Nor is it certain what ends first where
 * time is up at once.
 */
const branchByBranch = pipelines.map((dot) =>
  dot.replace(/max_parallel="\d+"/g, 'max_parallel="1"').replace(/timeout="0s"/g, 'timeout="60s"'),
);

test('the journal of a run is the same if other workers perform its stages', async () => {
  let elsewhere = 0;
  await fc.assert(
    fc.asyncProperty(branchByBranch, outcomeSequences, async (dot, sequence) => {
      const handlers = handlersOf(sequence);
      const alone = await submitted(dot, { ...options, handlers });
      await alone.work();
      const spread = await submitted(dot, { ...options, handlers, spread: true });
      await spread.work();
      elsewhere += spread.stages?.queued.size ?? 0;
      expect(essence(spread.engine.events)).toEqual(essence(alone.engine.events));
    }),
    { numRuns },
  );
  expect(elsewhere).toBeGreaterThan(0);
});

/** Numbers of steps of workers of the run that die; a run that gets nowhere with more of them waits for a person. */
const lives = fc.array(fc.nat({ max: 12 }), { maxLength: 3 });

test('whichever worker of a run dies, each report of its stages counts once', async () => {
  await fc.assert(
    fc.asyncProperty(pipelines, outcomeSequences, lives, async (dot, sequence, lifetimes) => {
      const handlers = new HandlerRegistry();
      for (const type of ['codergen', 'tool', 'wait.human'])
        handlers.register(type, {
          execute: async ({ node, visit, attempt, report }) => {
            const usage = { ...noUsage, requests: 1 };
            if (type !== 'wait.human') report({ kind: 'model_used', provider: 'p', model: 'm', usage });
            return sequence[(Number(node.id.slice(1)) + visit + attempt) % sequence.length];
          },
        });
      const cluster = await submitted(dot, { ...options, handlers, spread: true });
      for (const mostSteps of lifetimes)
        await cluster.work({ mostSteps: mostSteps + 1 }).catch((error: unknown) => {
          if (!(error instanceof WorkerDied)) throw error;
        });
      await cluster.work();
      const { events } = cluster.engine;
      const stages = [...(cluster.stages?.queued.values() ?? [])];
      for (const { request } of stages) {
        const { cursor, index, attempt } = request.effect;
        const isOfIt = (event: RunEvent): boolean =>
          'attempt' in event && event.branch === cursor && event.index === index && event.attempt === attempt;
        const settled = events.filter(
          (event) => isOfIt(event) && (event.type === 'StageCompleted' || event.type === 'StageFailed'),
        );
        expect(settled.length).toBeLessThanOrEqual(1);
        const used = events.filter((event) => isOfIt(event) && event.type === 'ModelUsed');
        expect(used.length, JSON.stringify(request.effect)).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns },
  );
});
