import type { RunEvent, StageFailed } from '../machine/event.js';
import type { StageStatus } from '../machine/outcome.js';
import { mainCursor } from '../machine/state.js';
import type {
  BranchOverview,
  FailureOverview,
  OpenQuestion,
  ParallelUnderWay,
  StageUnderWay,
} from './under-way.js';
import { UsageDigest } from './usage-digest.js';

interface Parallel extends Omit<ParallelUnderWay, 'branches'> {
  readonly branches: Map<string, BranchOverview>;
}

/** The lifecycle as the journal tells it; whether a process is alive, it cannot know. */
export type RecordedStatus = 'created' | 'running' | 'paused' | 'success' | 'fail' | 'cancelled';

/**
 * What a journal amounts to for somebody who looks at a run from outside. It needs the events only, not the pipeline, so
 * that it also understands runs whose handlers and transforms are not at hand.
 */
export class JournalDigest {
  status: RecordedStatus = 'created';
  lastEvent: { readonly seq: number; readonly timestamp: string } | undefined;
  startedAt: string | undefined;
  endedAt: string | undefined;
  /** Why the run is to pause as soon as what runs has ended. */
  pausing: string | undefined;
  pausedReason: string | undefined;
  /** The stage that could not go on, where it was that which paused the run, and nobody who asked for it. */
  pausedAt: string | undefined;
  failure: { readonly reason: string; readonly node_id: string } | undefined;
  /** Settled visits without that of the start node, since the last restart. */
  settled = 0;
  lastSettled: string | undefined;
  retries = 0;
  restarts = 0;
  /** Where stages keep their files, in the run directory. */
  stageDirectory = '';
  /** What models were used: all together, by node, and those without a price. */
  readonly usage = new UsageDigest();
  readonly statuses = new Map<string, StageStatus>();
  /** The stages whose latest outcome was only simulated (SEMANTICS 120). */
  readonly simulated = new Set<string>();
  readonly failures = new Map<string, FailureOverview>();
  // By branch; the main line has none.
  readonly #stages = new Map<string, StageUnderWay>();
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #parallels = new Map<string, Parallel>();

  get stages(): readonly StageUnderWay[] {
    return [...this.#stages.values()];
  }

  get questions(): readonly OpenQuestion[] {
    return [...this.#questions.values()];
  }

  get parallels(): readonly ParallelUnderWay[] {
    return [...this.#parallels.values()].map((parallel) => ({
      ...parallel,
      branches: [...parallel.branches.values()],
    }));
  }

  /** Adds the next event; a type that this version does not know changes nothing. */
  add(event: RunEvent): void {
    this.lastEvent = event;
    this.usage.add(event);
    switch (event.type) {
      case 'PipelineStarted':
      case 'PipelineResumed':
      case 'PipelinePausing':
      case 'PipelinePaused':
      case 'PipelineCompleted':
      case 'PipelineFailed':
      case 'PipelineCancelled':
      case 'LoopRestarted':
        return this.#addLifecycle(event);
      case 'StageStarted':
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
      case 'StageRetrying':
      case 'StageSuspended':
        return this.#addStage(event);
      case 'ParallelStarted':
      case 'ParallelBranchStarted':
      case 'ParallelBranchCompleted':
      case 'ParallelCompleted':
        return this.#addParallel(event);
      case 'InterviewStarted':
      case 'InterviewCompleted':
      case 'InterviewTimeout':
        return this.#addInterview(event);
      case 'EdgeSelected':
      case 'CheckpointSaved':
      case 'LogAppended':
        return;
    }
  }

  #addLifecycle(event: Lifecycle): void {
    this.pausing = event.type === 'PipelinePausing' ? event.reason : undefined;
    switch (event.type) {
      case 'PipelineStarted':
        this.status = 'running';
        this.startedAt = event.timestamp;
        return;
      case 'PipelineResumed':
        this.status = 'running';
        this.endedAt = undefined;
        this.failure = undefined;
        this.pausedReason = undefined;
        this.pausedAt = undefined;
        if (event.node_id !== undefined) this.#forgetPlaces();
        return;
      case 'PipelinePausing':
        return;
      case 'PipelinePaused':
        this.status = 'paused';
        this.pausedReason = event.reason;
        this.pausedAt = event.node_id;
        return;
      case 'PipelineCompleted':
        this.#forgetPlaces();
        return this.#ended('success', event.timestamp);
      case 'PipelineFailed':
        // After these, resuming goes on at every place instead of where the run failed.
        if (event.kind !== 'timeout' && event.branch === undefined) this.#forgetPlaces();
        this.failure = { reason: event.error, node_id: event.node_id };
        return this.#ended('fail', event.timestamp);
      case 'PipelineCancelled':
        return this.#ended('cancelled', event.timestamp);
      case 'LoopRestarted':
        this.restarts = event.restart;
        this.settled = 0;
        this.lastSettled = undefined;
        this.stageDirectory = event.directory;
        this.statuses.clear();
        return this.#forgetPlaces();
    }
  }

  #ended(status: RecordedStatus, at: string): void {
    this.status = status;
    this.endedAt = at;
  }

  #forgetPlaces(): void {
    this.#stages.clear();
    this.#questions.clear();
    this.#parallels.clear();
  }

  #addStage(event: StageEvent): void {
    const { node_id, name, attempt, visit, branch = null, timestamp: since } = event;
    switch (event.type) {
      case 'StageStarted': {
        const stage = {
          node_id,
          name,
          branch,
          // A stage that begins again puts the question again that it was cut off at.
          state: this.#questions.has(branch ?? mainCursor) ? 'asking' : 'running',
          attempt,
          visit,
          since,
          until: null,
        } as const;
        this.#stages.set(branch ?? mainCursor, stage);
        return;
      }
      case 'StageCompleted':
      case 'StageSkipped':
        return this.#settle(event);
      case 'StageFailed':
        this.#fail(event);
        return event.will_retry ? this.#change(branch, { state: 'waiting', since }) : this.#settle(event);
      case 'StageRetrying': {
        this.retries += 1;
        const until = new Date(Date.parse(since) + event.delay).toISOString();
        return this.#change(branch, { state: 'waiting', attempt, since, until });
      }
      case 'StageSuspended':
        return this.#change(branch, { state: 'suspended', since });
    }
  }

  #change(branch: string | null, change: Partial<StageUnderWay>): void {
    const place = branch ?? mainCursor;
    const stage = this.#stages.get(place);
    if (stage !== undefined) this.#stages.set(place, { ...stage, until: null, ...change });
  }

  #settle({ node_id: nodeId, branch = mainCursor, index, outcome, simulated }: Settled): void {
    this.#stages.delete(branch);
    this.#questions.delete(branch);
    if (index > 0) this.settled += 1;
    this.lastSettled = nodeId;
    this.statuses.set(nodeId, outcome.status);
    if (simulated) this.simulated.add(nodeId);
    else this.simulated.delete(nodeId);
    const failure = this.failures.get(nodeId);
    if (failure === undefined || outcome.status === 'fail') return;
    this.failures.set(nodeId, { ...failure, recovered: true });
  }

  #fail({ node_id, error: reason, timestamp: at, branch = mainCursor }: Extract<Settled, StageFailed>): void {
    const count = (this.failures.get(node_id)?.count ?? 0) + 1;
    // Set anew, so that the last failure stands last.
    this.failures.delete(node_id);
    this.failures.set(node_id, { node_id, reason, count, at, recovered: false });
    this.#questions.delete(branch);
  }

  #addParallel(event: ParallelEvent): void {
    switch (event.type) {
      case 'ParallelStarted': {
        const { node_id, branch = null, kept = 0 } = event;
        // What ended before the run was resumed is no longer under way.
        const branch_count = event.branch_count - kept;
        this.#parallels.set(branch ?? mainCursor, { node_id, branch, branch_count, branches: new Map() });
        return this.#change(branch, { state: 'branches', since: event.timestamp });
      }
      case 'ParallelBranchStarted': {
        const { branch, timestamp: since } = event;
        const begun = { branch, state: 'running', since, duration_ms: null, error: null } as const;
        this.#parallels.get(event.parent ?? mainCursor)?.branches.set(branch, begun);
        return;
      }
      case 'ParallelBranchCompleted': {
        const { branch, parent = mainCursor, status: state, duration: duration_ms, error = null } = event;
        const branches = this.#parallels.get(parent)?.branches;
        const since = branches?.get(branch)?.since ?? event.timestamp;
        branches?.set(branch, { branch, state, since, duration_ms, error });
        return this.#leave(branch);
      }
      case 'ParallelCompleted':
        this.#parallels.delete(event.branch ?? mainCursor);
        return this.#change(event.branch ?? null, { state: 'running' });
    }
  }

  /** A branch that was stopped because it no longer mattered leaves stages behind that never settle. */
  #leave(branch: string): void {
    this.#stages.delete(branch);
    this.#questions.delete(branch);
    const inside = this.#parallels.get(branch)?.branches.keys() ?? [];
    for (const inner of inside) this.#leave(inner);
    this.#parallels.delete(branch);
  }

  #addInterview(event: InterviewEvent): void {
    const { branch = null, timestamp } = event;
    if (event.type === 'InterviewStarted') {
      this.#questions.set(branch ?? mainCursor, { ...event.question, branch, asked_at: timestamp });
      this.#change(branch, { state: 'asking', since: timestamp });
    } else {
      this.#questions.delete(branch ?? mainCursor);
      this.#change(branch, { state: 'running', since: timestamp });
    }
  }
}

type EventOf<Prefix extends string> = Extract<RunEvent, { readonly type: `${Prefix}${string}` }>;
type Lifecycle = EventOf<'Pipeline' | 'LoopRestarted'>;
type StageEvent = EventOf<'Stage'>;
type Settled = Extract<StageEvent, { readonly outcome: unknown }>;
type ParallelEvent = EventOf<'Parallel'>;
type InterviewEvent = EventOf<'Interview'>;
