import type { StageStatus } from '../../../graph/stage-status.js';
import type { EdgeSelected, RunEvent } from '../../../machine/event.js';

/**
 * What a visit of a stage is doing, or how it ended: `waiting` for its next attempt, `asking` a person, `branches` while those
 * of a parallel node run, `suspended` until the run is resumed, `cut_off` where it never came to its end.
 */
export type VisitStatus =
  | 'running'
  | 'waiting'
  | 'asking'
  | 'branches'
  | 'suspended'
  | 'cut_off'
  | StageStatus;

/** A visit of a stage (§3.2), as far as a list of visits shows it; times are milliseconds since 1970. */
export interface Visit {
  readonly index: number;
  readonly nodeId: string;
  readonly name: string;
  readonly visit: number;
  readonly branch: string | undefined;
  readonly startedAt: number;
  endedAt: number | undefined;
  status: VisitStatus;
  readonly attempts: Attempt[];
  failure: string | undefined;
  next: { readonly to: string; readonly label: string | undefined; readonly reason: string } | undefined;
  toolCalls: number;
}

export interface Attempt {
  readonly attempt: number;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** Undefined while it runs. */
  status: 'cut_off' | StageStatus | undefined;
}

/** All visits of a run in the order in which they began, as a fold over its events (§9.6). */
export class VisitLog {
  readonly visits: Visit[] = [];
  readonly #byIndex = new Map<number, Visit>();
  readonly #latest = new Map<string, Visit>();
  readonly #open = new Set<Visit>();

  add(event: RunEvent): void {
    const at = Date.parse(event.timestamp);
    switch (event.type) {
      case 'StageStarted':
        return this.#start(event, at);
      case 'StageCompleted':
      case 'StageSkipped':
        return this.#settle(event.index, event.outcome.status, at, true);
      case 'StageFailed':
        this.#note(event.index, event.error);
        return this.#settle(event.index, event.outcome.status, at, !event.will_retry);
      case 'StageRetrying':
        return this.#set(this.#byIndex.get(event.index), 'waiting');
      case 'StageSuspended':
        return this.#set(this.#byIndex.get(event.index), 'suspended');
      case 'ParallelStarted':
        return this.#set(this.#byIndex.get(event.index), 'branches');
      case 'ParallelCompleted':
        return this.#set(this.#byIndex.get(event.index), 'running');
      case 'InterviewStarted':
        return this.#set(this.#latest.get(event.stage), 'asking');
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#set(this.#latest.get(event.stage), 'running');
      case 'ToolCallStarted':
        return this.#count(event.index);
      case 'EdgeSelected':
        return this.#leave(event);
      case 'PipelineCompleted':
      case 'PipelineFailed':
      case 'PipelineCancelled':
        return this.#cutOff(at);
      default:
        return;
    }
  }

  /** The visits that have not ended, the earliest first. */
  get open(): readonly Visit[] {
    return [...this.#open];
  }

  /** Whether all that happens is that people are asked. */
  get onlyAsks(): boolean {
    const working = this.open.filter(({ status }) => status !== 'branches');
    return working.length > 0 && working.every(({ status }) => status === 'asking');
  }

  latestOf(nodeId: string): Visit | undefined {
    return this.#latest.get(nodeId);
  }

  #start(event: Extract<RunEvent, { readonly type: 'StageStarted' }>, at: number): void {
    const attempt: Attempt = { attempt: event.attempt, startedAt: at, endedAt: undefined, status: undefined };
    const known = this.#byIndex.get(event.index);
    if (known !== undefined) {
      endAttempt(known, 'cut_off', at);
      known.attempts.push(attempt);
      known.status = 'running';
      known.endedAt = undefined;
      this.#open.add(known);
      return;
    }
    const visit: Visit = {
      index: event.index,
      nodeId: event.node_id,
      name: event.name,
      visit: event.visit,
      branch: event.branch,
      startedAt: at,
      endedAt: undefined,
      status: 'running',
      attempts: [attempt],
      failure: undefined,
      next: undefined,
      toolCalls: 0,
    };
    this.visits.push(visit);
    this.#byIndex.set(event.index, visit);
    this.#latest.set(event.node_id, visit);
    this.#open.add(visit);
  }

  #settle(index: number, status: StageStatus, at: number, isLast: boolean): void {
    const visit = this.#byIndex.get(index);
    if (visit === undefined) return;
    endAttempt(visit, status, at);
    visit.status = isLast ? status : 'waiting';
    if (!isLast) return;
    visit.endedAt = at;
    if (status !== 'fail') visit.failure = undefined;
    this.#open.delete(visit);
  }

  #note(index: number, error: string): void {
    const visit = this.#byIndex.get(index);
    if (visit !== undefined) visit.failure = error;
  }

  #count(index: number): void {
    const visit = this.#byIndex.get(index);
    if (visit !== undefined) visit.toolCalls += 1;
  }

  #set(visit: Visit | undefined, status: VisitStatus): void {
    if (visit?.endedAt === undefined && visit !== undefined) visit.status = status;
  }

  #leave({ from, to, label, reason }: EdgeSelected): void {
    const visit = this.#latest.get(from);
    if (visit !== undefined) visit.next = { to, label, reason };
  }

  /** Nothing goes on once the run has ended. */
  #cutOff(at: number): void {
    for (const visit of this.#open) {
      endAttempt(visit, 'cut_off', at);
      visit.status = 'cut_off';
      visit.endedAt = at;
    }
    this.#open.clear();
  }
}

function endAttempt(visit: Visit, status: 'cut_off' | StageStatus, at: number): void {
  const last = visit.attempts.at(-1);
  if (last === undefined || last.endedAt !== undefined) return;
  last.endedAt = at;
  last.status = status;
}
