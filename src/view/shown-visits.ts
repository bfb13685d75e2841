import { isoTime } from './fold/iso-time.js';
import type { RunView } from './fold/run-view.js';
import { cutOff, isUnderWay, type VisitRecord } from './fold/visit-record.js';
import { isOver } from './run-status.js';
import type { VisitRow } from './stage-schema.js';

/**
 * Visits that a view keeps, in the order in which they began, with their current status: those of a run
 * that is over, or without a live process, no longer run.
 */
export function shownVisits(view: RunView, isExecuted: boolean): readonly VisitRecord[] {
  const { visits } = view.visits;
  if (isExecuted && !isOver(view.status)) return visits;
  return visits.map((visit) => shownVisit(view, visit, isExecuted));
}

/** Visit with its current status. */
function shownVisit(view: RunView, visit: VisitRecord, isExecuted: boolean): VisitRecord {
  if (!isUnderWay(visit.status)) return visit;
  const hasEnded = isOver(view.status);
  if (!hasEnded && (isExecuted || visit.status === 'asking')) return visit;
  const time = Date.parse(view.lastEventTime ?? visit.since);
  const copy: VisitRecord = { ...visit, attempts: visit.attempts.map((attempt) => ({ ...attempt })) };
  cutOff(copy, time);
  if (hasEnded) return copy;
  return { ...copy, status: 'suspended', endedAt: undefined };
}

/** Visit as a line of a list. */
export function rowOf(visit: VisitRecord): VisitRow {
  return {
    node_id: visit.nodeId,
    name: visit.name,
    visit: visit.visit,
    index: visit.index,
    restart: visit.restart,
    branch: visit.branch ?? null,
    started_at: isoTime(visit.startedAt),
    ended_at: timeOrNull(visit.endedAt),
    status: visit.status,
    attempts: visit.attempts.map(({ attempt, startedAt, endedAt, status, error, retryDelayMs }) => ({
      attempt,
      started_at: isoTime(startedAt),
      ended_at: timeOrNull(endedAt),
      status,
      error: error ?? null,
      retry_delay_ms: retryDelayMs ?? null,
    })),
    notes: visit.notes ?? null,
    failure_reason: visit.failureReason ?? null,
    preferred_label: visit.preferredLabel ?? null,
    simulated: visit.simulated,
    next: visit.next ?? null,
    usage: visit.usage === undefined ? null : { ...visit.usage },
    tool_calls: visit.toolCalls,
  };
}

function timeOrNull(time: number | undefined): string | null {
  return time === undefined ? null : isoTime(time);
}
