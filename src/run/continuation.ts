import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import type {
  PipelineFailed,
  RunEvent,
  StageCompleted,
  StageFailed,
  StageSkipped,
  StageStarted,
} from '../machine/event.js';
import { unfinishedStages } from '../machine/failed-fork.js';
import { mainCursor, type RunState } from '../machine/state.js';
import { stagePath } from '../run-directory/stage-path.js';

/** Latest visit of a failed stage, with its child run (§9.4). */
export interface FailedVisit {
  readonly nodeId: string;
  /** Path of the stage's files, relative to the run directory. */
  readonly place: string;
  /** Number of the last attempt. */
  readonly attempt: number;
  /** Run id of that attempt's child; undefined if the stage did not report one. */
  readonly childId: string | undefined;
}

/** Visits that continue, as plain data. */
export interface ContinuationData {
  readonly visits: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, FailedVisit>;
  readonly done: ReadonlyMap<string, string>;
}

/**
 * Visits that continue an earlier failed one of the same stage, because the run was resumed there
 * (SEMANTICS 66b): a fold of the journal, so that a process that was killed in such a visit does not make
 * it an ordinary one.
 */
export class Continuation {
  readonly #program: Program;
  readonly #visits: Map<string, number>;
  // Latest settled visits of stages that run pipelines, by the path of the stage.
  readonly #failed: Map<string, FailedVisit>;
  /** Nodes of those whose child has nothing left to do. */
  readonly #done: Map<string, string>;

  /** @param data of the journal so far */
  constructor(program: Program, data?: ContinuationData) {
    this.#program = program;
    this.#visits = new Map(data?.visits);
    this.#failed = new Map(data?.failed);
    this.#done = new Map(data?.done);
  }

  get data(): ContinuationData {
    return { visits: this.#visits, failed: this.#failed, done: this.#done };
  }

  /** Visits that continue, begun or not, by node. */
  get visits(): ReadonlyMap<string, number> {
    return this.#visits;
  }

  /** Failed visits that these continue. */
  get failedVisits(): readonly FailedVisit[] {
    return [...this.#failed.values()].filter(({ nodeId }) => this.#visits.has(nodeId));
  }

  /**
   * Call with every event of the journal.
   * @param state right after the event
   */
  note(event: RunEvent, state: RunState): void {
    switch (event.type) {
      case 'StageStarted':
      case 'StageCompleted':
      case 'StageSkipped':
      case 'StageFailed':
        if (this.#program.nodes.get(event.node_id)?.handler.runsChild) this.#stage(event, state);
        return;
      case 'PipelineFailed':
        return this.#runFailed(event, state);
      case 'PipelineResumed':
        // A run that continues elsewhere begins there.
        if (event.node_id !== undefined) this.#visits.clear();
        return;
      case 'LoopRestarted':
        this.#visits.clear();
        this.#failed.clear();
        return this.#done.clear();
    }
  }

  #stage(event: StageEvent, state: RunState): void {
    const { node_id: nodeId, attempt, visit, branch = mainCursor } = event;
    const place = stagePath(this.#program, state, branch, nodeId);
    if (event.type === 'StageStarted') {
      if (attempt === 1 && this.#visits.get(nodeId) !== visit) this.#forget(place);
      return;
    }
    if (event.type === 'StageSkipped' && event.stopped) return;
    if (event.type === 'StageFailed' && event.will_retry) return;
    this.#forget(place);
    this.#visits.delete(nodeId);
    const { id: childId, status } = childOf(event.outcome.context_updates ?? {});
    // A stage that failed although its child had succeeded needs another one.
    if (event.type === 'StageFailed' && status !== 'success')
      this.#failed.set(place, { nodeId, place, attempt, childId });
    else this.#done.set(place, nodeId);
  }

  #forget(place: string): void {
    this.#failed.delete(place);
    this.#done.delete(place);
  }

  #runFailed({ kind, branch }: PipelineFailed, { failure, visits, cursors }: RunState): void {
    // After these, every cursor stays in its current visit.
    if (failure === undefined || kind === 'timeout' || branch !== undefined) return;
    this.#visits.clear();
    const done = new Set(this.#done.values());
    const stages = [
      failure.resumeAt,
      ...unfinishedStages(this.#program, cursors.get(mainCursor)?.failedFork),
    ];
    for (const nodeId of stages) {
      if (!done.has(nodeId)) this.#visits.set(nodeId, (visits.get(nodeId) ?? 0) + 1);
    }
  }
}

type StageEvent = StageStarted | StageCompleted | StageSkipped | StageFailed;

/** Child in the outcome of a stage: of a sub-pipeline, or of a manager. */
function childOf(updates: Readonly<Record<string, JsonValue>>) {
  const values = new Map(Object.entries(updates));
  const text = (key: string): string | undefined => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    id: text('child.run_id') ?? text('stack.child.run_id'),
    status: text('child.status') ?? text('stack.child.outcome'),
  };
}
