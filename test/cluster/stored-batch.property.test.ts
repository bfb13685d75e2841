import { expect, test } from 'vitest';
import type { Batch } from '../../src/cluster/durable-run.js';
import { batchOf, storedBatch } from '../../src/cluster/stored-batch.js';
import type { RunEvent } from '../../src/machine/event.js';
import { outcomeSequences, pipelines } from '../machine/arbitrary-program.js';
import { failingBranches } from '../run/harness.js';
import { fc, runsOf } from '../support/fast-check.js';
import { handlersOf, submitted } from './harness.js';

const numRuns = runsOf({ quick: 3, thorough: 60 });

function read(text: string): Batch {
  return batchOf(JSON.parse(text));
}

/** Batches of real runs, in which some events are made unlike what the ones before them suggest. */
test('a batch is read as it was written', async () => {
  const changes = fc.array(
    fc.record({
      event: fc.nat(),
      values: fc.oneof(
        fc.record({ seq: fc.integer({ min: 1 }) }),
        fc.record({ timestamp: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z') }),
        fc.record({ run_id: fc.string() }),
        fc.record({ description: fc.string() }),
      ),
    }),
  );
  await fc.assert(
    fc.asyncProperty(pipelines, outcomeSequences, changes, async (dot, sequence, changed) => {
      const cluster = await submitted(dot, { ruleSettings: failingBranches, handlers: handlersOf(sequence) });
      await cluster.work();
      const events: readonly RunEvent[] = cluster.engine.events;
      const strange = events.map((event, index) => {
        const change = changed.find(({ event: at }) => at % events.length === index);
        return { ...event, ...change?.values };
      });
      const batches = [
        ...cluster.engine.batches,
        { records: [{ inputs: [], events: strange, place: 'a/child' }], receipts: [{ id: 'm' }] },
      ];
      for (const batch of batches)
        expect(JSON.stringify(read(JSON.stringify(storedBatch(batch))))).toBe(JSON.stringify(batch));
    }),
    { numRuns },
  );
});

test('an event says what those before it do not', () => {
  const at = (seq: number, node: string): RunEvent => ({
    seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    run_id: 'r',
    type: 'StageStarted',
    node_id: node,
    name: node,
    index: 0,
    attempt: 1,
    visit: 1,
    description: `Stage "${node}" started`,
  });
  const stored = storedBatch({ records: [{ inputs: [], events: [at(7, 'a'), at(8, 'b')] }] });
  const body = { type: 'StageStarted', index: 0, attempt: 1, visit: 1 };
  expect(JSON.parse(JSON.stringify(stored)).records[0].events).toEqual([
    { seq: 7, timestamp: '2026-01-01T00:00:00.000Z', run_id: 'r', ...body, node_id: 'a', name: 'a' },
    { ...body, node_id: 'b', name: 'b' },
  ]);
});
