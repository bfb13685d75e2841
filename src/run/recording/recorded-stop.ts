import type { RunEvent } from '../../machine/event.js';
import { type RecordedEnd, recordedEnd } from './recorded-path.js';
import { attemptKey } from './settled-attempts.js';

/** Stop of a recorded run before its end, without a resume. */
export interface RecordedStop {
  readonly kind: 'paused' | 'cancelled' | 'cut_off';
  /** Attempt with whose outcome it stopped; undefined if it stopped in those that were under way. */
  readonly key: string | undefined;
  /** Attempts that were under way then. */
  readonly open: ReadonlySet<string>;
  readonly reason: string;
}

/**
 * Stop of a run that paused, was cancelled, or was cut off: with the stage before whose end it was
 * requested, among those that ended all the same. There is none if one was still under way, because the
 * replay stops in that one by itself.
 */
export function recordedStop(events: readonly RunEvent[]): RecordedStop | undefined {
  const end = recordedEnd(events);
  if (end.status === 'success' || end.status === 'fail') return undefined;
  const { open, last, next } = lastStages(events);
  const reason = reasonOf(end);
  if (end.status === 'unfinished')
    return { kind: 'cut_off', key: hasContinued(events) ? undefined : last, open: new Set(), reason };
  return { kind: end.status, key: next ?? (open.size === 0 ? last : undefined), open, reason };
}

/** True if the stage with the last outcome was followed by another one. */
function hasContinued(events: readonly RunEvent[]): boolean {
  const last = events.findLastIndex(isSettled);
  const settled = events[last];
  const branch = settled !== undefined && 'branch' in settled ? settled.branch : undefined;
  return events.slice(last + 1).some((event) => event.type === 'StageStarted' && event.branch === branch);
}

function isSettled({ type }: RunEvent): boolean {
  return type === 'StageCompleted' || type === 'StageFailed' || type === 'StageSkipped';
}

function reasonOf({ status, reason }: RecordedEnd): string {
  switch (status) {
    case 'cancelled':
      return 'the recorded run was cancelled here';
    case 'unfinished':
      return 'the recording ends here: the recorded run was interrupted and was not resumed';
    default:
      return reason ?? 'the recorded run was paused here';
  }
}

interface LastStages {
  /** Attempts under way at the end. */
  readonly open: ReadonlySet<string>;
  /** Attempt with the last outcome. */
  readonly last: string | undefined;
  /** First attempt with an outcome after the pause was requested. */
  readonly next: string | undefined;
}

function lastStages(events: readonly RunEvent[]): LastStages {
  const open = new Set<string>();
  const fans = new Set<string>();
  let last: string | undefined;
  let isPausing = false;
  let next: string | undefined;
  let directory = '';
  for (const event of events) {
    switch (event.type) {
      case 'LoopRestarted':
        directory = event.directory;
        break;
      case 'PipelinePausing':
        isPausing = true;
        break;
      case 'PipelineResumed':
        isPausing = false;
        next = undefined;
        // It continued elsewhere: earlier attempts were given up.
        if (event.from === 'fail' || event.node_id !== undefined) open.clear();
        break;
      case 'StageStarted':
        open.add(attemptKey({ place: directory, ...event }));
        break;
      case 'ParallelStarted':
        // It ends with its branches, without a handler.
        fans.add(event.node_id);
        for (const key of open) if (isOf(key, event.node_id)) open.delete(key);
        break;
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
        if (fans.has(event.node_id)) break;
        last = attemptKey({ place: directory, ...event });
        open.delete(last);
        if (isPausing && !('stopped' in event && event.stopped)) next ??= last;
        break;
    }
  }
  return { open, last, next };
}

function isOf(key: string, nodeId: string): boolean {
  const [, id] = JSON.parse(key) as readonly unknown[];
  return id === nodeId;
}
