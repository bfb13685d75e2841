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

/** The latest visit of a stage that failed, with the child run that it had (§9.4). */
export interface FailedVisit {
  readonly nodeId: string;
  /** Where the stage keeps its files, relative to the run directory. */
  readonly place: string;
  /** The last one. */
  readonly attempt: number;
  /** The `run_id` of the child of that attempt; undefined where the stage did not tell of one. */
  readonly childId: string | undefined;
}

/**
 * Which visits continue where an earlier one of the same stage had failed, because the run was resumed there (SEMANTICS 66b): a
 * fold of the journal, so that a process that was killed in such a visit does not make it an ordinary one.
 */
export class Continuation {
  readonly #program: Program;
  readonly #visits = new Map<string, number>();
  // The latest visits of stages that run pipelines, by the place of the stage, once they have settled.
  readonly #failed = new Map<string, FailedVisit>();
  /** The nodes of those whose child has nothing left to do. */
  readonly #done = new Map<string, string>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** By node: the visit that continues, whether it has begun or not. */
  get visits(): ReadonlyMap<string, number> {
    return this.#visits;
  }

  /** The visits that these continue from. */
  get failedVisits(): readonly FailedVisit[] {
    return [...this.#failed.values()].filter(({ nodeId }) => this.#visits.has(nodeId));
  }

  /** To be told every event of the journal. @param state the state right after it */
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
        // Whoever continues elsewhere begins there.
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
    // After these, every cursor stays where it is, in the visit that it is in.
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

/** What a stage has told of its child in its outcome: a sub-pipeline, or a manager. */
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
