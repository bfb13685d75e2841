import type { DurableSteps, Segment } from '../durable-run.js';
import { batchOf, type StoredBatch, storedBatch } from '../stored-batch.js';
import type { MessageWatch } from './message-watch.js';
import { names } from './names.js';
import type { RecordedSteps } from './recorded-steps.js';

/** Steps and messages of a workflow of DBOS. */
export function dbosSteps(watch: MessageWatch, recorded: RecordedSteps): DurableSteps {
  return {
    // What is recorded is what a repetition gets: JSON, without properties that have no value.
    async step(action) {
      const output = await recorded.step(names.step, async () => storedBatch(await action()));
      return batchOf(output as StoredBatch);
    },
    ...recordedRun(recorded),
    async endSegment(action) {
      await recorded.step(names.segment, action);
    },
    beginAfter: ({ step }) => recorded.skip(step),
    messages: (signal) => watch.next(signal),
    forget: (ids) => watch.forget(ids),
    resumptions: () => watch.resumptions(),
  };
}

/** Recorded part of a run, also for those who do not have it. */
export function recordedRun(recorded: RecordedSteps): Pick<DurableSteps, 'recorded' | 'latestSegment'> {
  return {
    recorded: async (after) =>
      (await recorded.all(names.step, after?.step)).map((output) => batchOf(output as StoredBatch)),
    async latestSegment() {
      const latest = await recorded.latest(names.segment);
      return latest && { step: latest.id, segment: latest.output as Segment };
    },
  };
}
