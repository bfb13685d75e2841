import type { RunEvent } from '../../machine/event.js';
import { type ComparableEvent, comparableJournal } from './comparable-journal.js';
import type { RunPlaces } from './run-places.js';
import { unifiedDiff } from './unified-diff.js';

/** Journal, and the locations of its run. */
export interface ComparedRun {
  readonly events: readonly RunEvent[];
  readonly places: RunPlaces;
}

/** First difference of two journals. */
export interface JournalDifference {
  /** Event of the recorded journal; missing if it has none there. */
  readonly recorded: RunEvent | undefined;
  readonly now: RunEvent | undefined;
  /** Differences as a diff of their fields. */
  readonly diff: string;
}

/**
 * First difference between the journals of two runs, apart from what `comparableJournal` leaves out;
 * undefined if they are identical.
 */
export function journalDifference(recorded: ComparedRun, now: ComparedRun): JournalDifference | undefined {
  const before = comparableJournal(recorded.events, recorded.places);
  const after = comparableJournal(now.events, now.places);
  const names = new Set([...before.keys(), ...after.keys()]);
  const differences = [...names].flatMap(
    (name) => differenceIn(before.get(name) ?? [], after.get(name) ?? []) ?? [],
  );
  return differences.sort((one, other) => seqOf(one) - seqOf(other))[0];
}

function seqOf({ recorded, now }: JournalDifference): number {
  return Math.min(recorded?.seq ?? Number.POSITIVE_INFINITY, now?.seq ?? Number.POSITIVE_INFINITY);
}

function differenceIn(
  before: readonly ComparableEvent[],
  after: readonly ComparableEvent[],
): JournalDifference | undefined {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [recorded, now] = [before[index], after[index]];
    if (recorded?.text === now?.text) continue;
    const diff = unifiedDiff(fieldsOf(recorded), fieldsOf(now));
    return { recorded: recorded?.event, now: now?.event, diff };
  }
  return undefined;
}

function fieldsOf(event: ComparableEvent | undefined): string {
  return event === undefined ? '' : JSON.stringify(JSON.parse(event.text), null, 2);
}
