import type { Program } from '../graph/program.js';
import type { RunEvent } from '../machine/event.js';
import { type BranchOrigin, mainCursor } from '../machine/state.js';
import { stagePath } from '../run-directory/stage-path.js';

/** Where the stages of a run keep their files, told from its events alone (SEMANTICS 36, 54). */
export class StagePlaces {
  /** How often the pipeline was started afresh. */
  restarts = 0;
  readonly #nodes: Program['nodes'];
  readonly #cursors = new Map<string, { readonly branch: BranchOrigin }>();

  constructor(nodes: Program['nodes']) {
    this.#nodes = nodes;
  }

  /** To be told every event of the journal. */
  add(event: RunEvent): void {
    switch (event.type) {
      case 'ParallelBranchStarted': {
        const { branch, parent = mainCursor, node_id: parallelId, index } = event;
        this.#cursors.set(branch, { branch: { parent, parallelId, index, startedAt: 0 } });
        return;
      }
      case 'LoopRestarted':
        this.restarts = event.restart;
        return this.#cursors.clear();
      default:
        return;
    }
  }

  /** Relative to the run directory, `/` between names. */
  placeOf(branch: string | undefined, nodeId: string): string {
    const state = { restarts: this.restarts, cursors: this.#cursors };
    return stagePath({ nodes: this.#nodes }, state, branch ?? mainCursor, nodeId);
  }
}
