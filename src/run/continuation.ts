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
import { cursorNamed, lineKey, mainCursor, type RunState } from '../machine/state.js';
import { restartDirectory, stagePath } from '../run-directory/stage-path.js';
import { visitKey } from './driver/visit-key.js';

/** Latest visit of a failed stage, with its child run (§9.4). */
export interface FailedVisit {
  readonly nodeId: string;
  /** Path of the stage's files, relative to the run directory. */
  readonly place: string;
  readonly visit: number;
  /** Number of the last attempt. */
  readonly attempt: number;
  /** Run id of that attempt's child; undefined if the stage did not report one. */
  readonly childId: string | undefined;
}

/** Visit that failed or was stopped, from which a later one continues. */
export type LeftVisit = Pick<FailedVisit, 'visit' | 'childId'>;

/** Visit that continues an earlier one of the same stage in the same branch. */
interface ContinuedVisit {
  /** Its key, which is known before it begins: its number among all visits of the node is not. */
  readonly key: string;
  readonly left: LeftVisit;
}

/** Visits that continue, as plain data. All maps are by `lineKey`. */
export interface ContinuationData {
  readonly visits: ReadonlyMap<string, ContinuedVisit>;
  readonly latest: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, FailedVisit>;
  readonly done: ReadonlySet<string>;
}

/**
 * Visits that continue an earlier failed one of the same stage, because the run was resumed there
 * (SEMANTICS 66b): a fold of the journal, so that a process that was killed in such a visit does not make
 * it an ordinary one. Each branch that visits a node continues for itself.
 */
export class Continuation {
  readonly #program: Program;
  readonly #visits: Map<string, ContinuedVisit>;
  /** Numbers of the latest visits of stages that run pipelines. */
  readonly #latest: Map<string, number>;
  // Those of them that have settled.
  readonly #failed: Map<string, FailedVisit>;
  /** Those whose child has nothing left to do. */
  readonly #done: Set<string>;

  /** @param data of the journal so far */
  constructor(program: Program, data?: ContinuationData) {
    this.#program = program;
    this.#visits = new Map(data?.visits);
    this.#latest = new Map(data?.latest);
    this.#failed = new Map(data?.failed);
    this.#done = new Set(data?.done);
  }

  get data(): ContinuationData {
    return { visits: this.#visits, latest: this.#latest, failed: this.#failed, done: this.#done };
  }

  /** Visits from which others continue, begun or not, by the `visitKey` of the one that continues. */
  get leftVisits(): ReadonlyMap<string, LeftVisit> {
    return new Map([...this.#visits.values()].map(({ key, left }) => [key, left]));
  }

  /** Those of them that failed. */
  get failedVisits(): readonly FailedVisit[] {
    return [...this.#failed].flatMap(([line, failed]) => (this.#visits.has(line) ? [failed] : []));
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
        this.#latest.clear();
        this.#failed.clear();
        return this.#done.clear();
    }
  }

  #stage(event: StageEvent, state: RunState): void {
    const { node_id: nodeId, attempt, visit, branch = mainCursor } = event;
    const line = lineKey(branch, nodeId);
    if (event.type === 'StageStarted') {
      this.#latest.set(line, visit);
      const { lineVisit } = cursorNamed(state, branch);
      const key = keyOf(state, branch, nodeId, lineVisit);
      if (attempt === 1 && this.#visits.get(line)?.key !== key) this.#forget(line);
      return;
    }
    if (event.type === 'StageSkipped' && event.stopped) return;
    if (event.type === 'StageFailed' && event.will_retry) return;
    this.#forget(line);
    this.#visits.delete(line);
    const { id: childId, status } = childOf(event.outcome.context_updates ?? {});
    // A stage that failed although its child had succeeded needs another one.
    if (event.type === 'StageFailed' && status !== 'success') {
      const place = stagePath(this.#program, state, branch, nodeId);
      this.#failed.set(line, { nodeId, place, visit, attempt, childId });
    } else this.#done.add(line);
  }

  #forget(line: string): void {
    this.#failed.delete(line);
    this.#done.delete(line);
  }

  #runFailed({ kind, branch }: PipelineFailed, state: RunState): void {
    const { failure, cursors } = state;
    // After these, every cursor stays in its current visit.
    if (failure === undefined || kind === 'timeout' || branch !== undefined) return;
    this.#visits.clear();
    const stages = [
      { nodeId: failure.resumeAt, cursor: mainCursor },
      ...unfinishedStages(this.#program, cursors.get(mainCursor)?.failedFork),
    ];
    for (const { nodeId, cursor } of stages) {
      const line = lineKey(cursor, nodeId);
      const visit = this.#latest.get(line);
      if (visit === undefined || this.#done.has(line)) continue;
      const key = keyOf(state, cursor, nodeId, (state.lineVisits.get(line) ?? 0) + 1);
      this.#visits.set(line, { key, left: { visit, childId: this.#failed.get(line)?.childId } });
    }
  }
}

function keyOf(state: RunState, branch: string, nodeId: string, lineVisit: number): string {
  return visitKey({ restart: restartDirectory(state), branch, nodeId, lineVisit });
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
