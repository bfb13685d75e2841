import { mainCursor } from '../machine/state.js';
import type { RunView } from '../view/fold/run-view.js';
import type { PlacedRecord } from './durable-run.js';

/** Number of times that a run is taken over although it gets nowhere; then it waits for a person (SEMANTICS 141). */
const mostTakeovers = 3;
/** The same for one stage while others, in other branches, do get further. */
const mostOfStage = 4;

/** Inputs that a takeover brings by itself. */
const isNoProgress: ReadonlySet<string> = new Set(['resume', 'log', 'checkpoint_saved']);

/** Deaths of workers in the history of a run, to tell a run that kills them from one that has had bad luck. */
export class Deaths {
  #takeovers: number;
  /** By attempt of a stage that has not settled. */
  readonly #ofStages: Map<string, StageDeaths>;

  constructor({ takeovers, ofStages }: DeathCounts = noDeaths) {
    this.#takeovers = takeovers;
    this.#ofStages = new Map(ofStages);
  }

  get counts(): DeathCounts {
    return { takeovers: this.#takeovers, ofStages: this.#ofStages };
  }

  /** Reason why no worker should try again; undefined if there is none. */
  get verdict(): string | undefined {
    if (this.#takeovers >= mostTakeovers)
      return `${this.#takeovers} workers have died here, one after the other, before the run got any further; ${advice}`;
    for (const { nodeId, count } of this.#ofStages.values())
      if (count >= mostOfStage)
        return `${count} workers have died, one after the other, while the stage "${nodeId}" was running; ${advice}`;
    return undefined;
  }

  /**
   * @param viewAfter view of the run that the record is about, after it
   * @param runsChild tells if a stage only waits for a child, whose own stages count
   */
  add(
    { place, inputs, events }: PlacedRecord,
    viewAfter: () => RunView,
    runsChild: (nodeId: string) => boolean,
  ): void {
    for (const { kind } of inputs) {
      if (!isNoProgress.has(kind)) this.#takeovers = 0;
      else if (kind === 'resume' && place === undefined) this.#takeovers += 1;
    }
    const resumed = events.find((event) => event.type === 'PipelineResumed');
    // A person who resumes the run has seen to it, and a worker that has left has not died.
    if (resumed !== undefined && resumed.from !== 'running') this.#ofStages.clear();
    for (const event of events) {
      if (event.type !== 'StageStarted' && !('outcome' in event)) continue;
      const { branch = mainCursor, node_id: nodeId, index, attempt } = event;
      const key = JSON.stringify([place, branch, index, attempt]);
      if ('outcome' in event) this.#ofStages.delete(key);
      else if (
        event.resumed &&
        resumed?.from === 'running' &&
        !viewAfter().questions.has(branch) &&
        !runsChild(nodeId)
      )
        this.#count(key, nodeId);
    }
  }

  #count(key: string, nodeId: string): void {
    this.#ofStages.set(key, { nodeId, count: (this.#ofStages.get(key)?.count ?? 0) + 1 });
  }
}

interface StageDeaths {
  readonly nodeId: string;
  readonly count: number;
}

/** Deaths so far. Plain data. */
export interface DeathCounts {
  readonly takeovers: number;
  readonly ofStages: ReadonlyMap<string, StageDeaths>;
}

const noDeaths: DeathCounts = { takeovers: 0, ofStages: new Map() };

const advice = 'resume it after you fix the cause';
