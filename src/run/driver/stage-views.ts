import type { Program } from '../../graph/program.js';
import { statusFileText } from '../../handlers/read-outcome.js';
import type { RunEvent } from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../../machine/state.js';
import type { StageStore } from '../../run-directory/run-store.js';
import { stagePath, statusFileName } from '../../run-directory/stage-path.js';
import { ParallelResults } from './parallel-results.js';
import { noOpStagesKept } from './status-files.js';

/**
 * Content of the stages' files according to the journal: every stage that is not under way has the status
 * of its latest attempt (§5.6), and every parallel node the results of its branches (SEMANTICS 54), in its
 * directory.
 */
export class StageViews {
  readonly #program: Program;
  /** Outcomes by the path of the stage, relative to the run directory. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #noOpStages = new Set<string>();
  readonly #results: ParallelResults;

  constructor(program: Program) {
    this.#program = program;
    this.#results = new ParallelResults(program, initialState);
  }

  /**
   * Call with every event of the journal.
   * @param state right after the event
   */
  note(event: RunEvent, state: RunState): void {
    this.#results.note(event, state);
    if (event.type !== 'StageStarted' && !('outcome' in event)) return;
    const stage = stagePath(this.#program, state, event.branch ?? mainCursor, event.node_id);
    if (this.#program.nodes.get(event.node_id)?.handler.instant && !this.#isKept(stage)) return;
    if ('outcome' in event) this.#outcomes.set(stage, event.outcome);
    else this.#outcomes.delete(stage);
  }

  /** Writes files that a crash prevented. */
  restore(stages: StageStore): void {
    for (const [stage, outcome] of this.#outcomes) {
      const text = statusFileText(outcome);
      if (stages.read(stage, statusFileName) === text) continue;
      stages.write(stage, statusFileName, text);
    }
    this.#results.write(stages);
  }

  #isKept(stage: string): boolean {
    if (this.#noOpStages.size < noOpStagesKept) this.#noOpStages.add(stage);
    return this.#noOpStages.has(stage);
  }
}
