import type { EventHeader, InterviewCompleted, InterviewTimeout } from '../../machine/event.js';
import type { HistoryEvent, Past, SettledStage } from './run-history.js';
import type { SeenPart } from './thread-marks.js';

/**
 * Part of the past that a conversation has not seen (SEMANTICS 124). Of its own latest stage it knows its questions and its
 * answer, but not what became of it.
 */
export function unseen({ events, counts, joinedAt }: Past, seen: SeenPart): Past {
  const after = seen.knowsRun ? events.filter(({ seq }) => seq > seen.seq) : events;
  const end = events.find((event) => isOwn(event, seen))?.seq ?? 0;
  const shown = after
    .filter(
      (event) => !(isAnswer(event) && event.stage === seen.nodeId && isBetween(seen.seq, event.seq, end)),
    )
    .map((event) => (isOwn(event, seen) ? withoutAnswer(event) : event));
  return { events: shown, counts: seen.knowsRun ? countsOf(shown) : counts, joinedAt };
}

/** True for the end of its own stage, if it only says that the answer was accepted. */
export function isKnown(event: HistoryEvent, seen: SeenPart): boolean {
  return isOwn(event, seen) && event.outcome.status === 'success' && event.attempt === 1;
}

function isAnswer(event: HistoryEvent): event is (InterviewCompleted | InterviewTimeout) & EventHeader {
  return event.type === 'InterviewCompleted' || event.type === 'InterviewTimeout';
}

function isBetween(start: number, seq: number, end: number): boolean {
  return start < seq && seq < end;
}

function isOwn(event: HistoryEvent, { nodeId, visit }: SeenPart): event is SettledStage & EventHeader {
  return 'outcome' in event && event.node_id === nodeId && event.visit === visit;
}

function withoutAnswer(event: SettledStage & EventHeader): SettledStage & EventHeader {
  return { ...event, outcome: { ...event.outcome, context_updates: undefined } };
}

function countsOf(events: readonly HistoryEvent[]): Past['counts'] {
  const attempts = events.filter((event) => 'outcome' in event);
  const retries = attempts.filter((event) => event.type === 'StageFailed' && event.will_retry).length;
  const failures = attempts.filter((event) => event.type === 'StageFailed' && !event.will_retry).length;
  return { stages: attempts.length - retries, failures, retries };
}
