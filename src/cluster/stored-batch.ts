import { describeEvent } from '../machine/describe-event.js';
import type { EventBody, EventHeader, RunEvent } from '../machine/event.js';
import type { Batch, PlacedRecord, SharedHistory, Submission } from './durable-run.js';

/** A batch as it stands in the database, where a step of an ordinary stage takes less than 1 KB with all that belongs to it. */
export interface StoredBatch extends Omit<Batch, 'records'> {
  readonly records: readonly StoredRecord[];
}

interface StoredRecord extends Omit<PlacedRecord, 'events'> {
  readonly events: readonly StoredEvent[];
}

/** An event without what the one before it in its record says too, and without the sentence that follows from it. */
type StoredEvent = EventBody & Partial<EventHeader>;

/** A submission as it stands in the database. */
export interface StoredSubmission extends Omit<Submission, 'shared'> {
  readonly shared?: (Omit<SharedHistory, 'batch'> & { readonly batch: StoredBatch }) | undefined;
}

/** Leaves out what `submissionOf` finds again. */
export function storedSubmission(submission: Submission): StoredSubmission {
  const { shared } = submission;
  return { ...submission, shared: shared && { ...shared, batch: storedBatch(shared.batch) } };
}

/** The submission as it was. */
export function submissionOf(stored: StoredSubmission): Submission {
  const { shared } = stored;
  return { ...stored, shared: shared && { ...shared, batch: batchOf(shared.batch) } };
}

/** Leaves out what `batchOf` finds again. */
export function storedBatch(batch: Batch): StoredBatch {
  const { records } = batch;
  return { ...batch, records: records.map((record) => ({ ...record, events: storedEvents(record.events) })) };
}

/** The batch as it was. */
export function batchOf(stored: StoredBatch): Batch {
  const { records } = stored;
  return { ...stored, records: records.map((record) => ({ ...record, events: eventsOf(record.events) })) };
}

function storedEvents(events: readonly RunEvent[]): readonly StoredEvent[] {
  return events.map((event, index): StoredEvent => {
    const { seq, timestamp, run_id: runId, description, ...body } = event;
    const before = events[index - 1];
    return {
      seq: seq === next(before) ? undefined : seq,
      timestamp: timestamp === before?.timestamp ? undefined : timestamp,
      run_id: runId === before?.run_id ? undefined : runId,
      ...body,
      description: description === describeEvent(body) ? undefined : description,
    };
  });
}

function eventsOf(stored: readonly StoredEvent[]): readonly RunEvent[] {
  const events: RunEvent[] = [];
  for (const { seq, timestamp, run_id: runId, description, ...body } of stored) {
    const before = events.at(-1);
    events.push({
      seq: seq ?? next(before),
      timestamp: timestamp ?? before?.timestamp ?? '',
      run_id: runId ?? before?.run_id ?? '',
      ...body,
      description: description ?? describeEvent(body),
    });
  }
  return events;
}

function next(before: RunEvent | undefined): number {
  return (before?.seq ?? 0) + 1;
}
