import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import { mainCursor, type RunState } from '../../machine/state.js';
import { jsonText } from '../../run-directory/json-text.js';
import type { StageStore } from '../../run-directory/run-store.js';
import { parallelResultsFileName, stagePath } from '../../run-directory/stage-path.js';

/** Results that are not written yet, as plain data. */
export interface ParallelResultsData {
  readonly met: ReadonlySet<string>;
  readonly unwritten: ReadonlyMap<string, Results>;
}

interface Results {
  readonly visit: number;
  readonly results: object;
}

/**
 * Writes the results of parallel nodes' branches: `parallel-results.json` in the directory of the node
 * (SEMANTICS 54).
 */
export class ParallelResults {
  readonly #program: Program;
  /** Cursors whose branches have met and whose parallel node has not settled yet. */
  readonly #met: Set<string>;
  /** Unwritten results by the path of the stage. */
  readonly #unwritten: Map<string, Results>;

  constructor(program: Program, state: Pick<RunState, 'cursors'>, data?: ParallelResultsData) {
    this.#program = program;
    this.#met = new Set(data?.met);
    this.#unwritten = new Map(data?.unwritten);
    for (const { id, fork, phase } of state.cursors.values()) {
      if (fork !== undefined && phase !== 'forked') this.#met.add(id);
    }
  }

  get data(): ParallelResultsData {
    return { met: this.#met, unwritten: this.#unwritten };
  }

  /** @param state right after the event: the branch that a parallel node is in may end with it */
  note(event: RunEvent, state: RunState): void {
    switch (event.type) {
      case 'ParallelCompleted':
        this.#met.add(event.branch ?? mainCursor);
        return;
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped': {
        const cursorId = event.branch ?? mainCursor;
        if (!this.#met.delete(cursorId)) return;
        const cursor = state.cursors.get(cursorId);
        // An attempt that will be retried leaves no results.
        const results = cursor?.phase === 'settled' ? cursor.context.get('parallel.results') : undefined;
        if (typeof results !== 'object' || results === null) return;
        const place = stagePath(this.#program, state, cursorId, event.node_id);
        this.#unwritten.set(place, { visit: event.visit, results });
        return;
      }
    }
  }

  /**
   * Writes the noted results, once their events are in the journal; those of an earlier visit are moved
   * (SEMANTICS 71a).
   */
  write(stages: StageStore): void {
    if (this.#unwritten.size === 0) return;
    for (const [place, { visit, results }] of this.#unwritten) {
      const text = [...jsonText(results)].join('');
      const before = stages.read(place, parallelResultsFileName);
      if (before === text) continue;
      // The beginning of the text is a write that was interrupted, and no earlier visit.
      if (typeof before === 'string' && visit > 1 && !text.startsWith(before))
        stages.write(`${place}/visit-${visit - 1}`, parallelResultsFileName, before);
      stages.write(place, parallelResultsFileName, text);
    }
    this.#unwritten.clear();
  }
}
