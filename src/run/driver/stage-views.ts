import type { Program } from '../../graph/program.js';
import { statusFileText } from '../../handlers/read-outcome.js';
import type { RunEvent } from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../../machine/state.js';
import type { StageStore } from '../../run-directory/run-store.js';
import { stagePath, statusFileName } from '../../run-directory/stage-path.js';
import { leavesFiles } from './durable-log.js';
import { ParallelResults, type ParallelResultsData } from './parallel-results.js';
import { noOpStagesKept } from './status-files.js';

type SettledVisit = Pick<Extract<RunEvent, { readonly outcome: Outcome }>, 'visit' | 'outcome'>;

/** Content of the stages' files as plain data. */
export interface StageViewsData {
  readonly outcomes: ReadonlyMap<string, SettledVisit>;
  readonly earlier: ReadonlyMap<string, SettledVisit>;
  readonly noOpStages: ReadonlySet<string>;
  readonly results: ParallelResultsData;
}

/**
 * Content of the stages' files according to the journal: every stage that is not under way has the status
 * of its latest attempt (§5.6), and every parallel node the results of its branches (SEMANTICS 54), in its
 * directory.
 */
export class StageViews {
  readonly #program: Program;
  /** Outcomes by the path of the stage, relative to the run directory. */
  readonly #outcomes: Map<string, SettledVisit>;
  /** Visits before those that are under way, and have recorded nothing that leaves files. */
  readonly #earlier: Map<string, SettledVisit>;
  readonly #noOpStages: Set<string>;
  readonly #results: ParallelResults;

  /** @param data of the journal so far */
  constructor(program: Program, data?: StageViewsData) {
    this.#program = program;
    this.#outcomes = new Map(data?.outcomes);
    this.#earlier = new Map(data?.earlier);
    this.#noOpStages = new Set(data?.noOpStages);
    this.#results = new ParallelResults(program, initialState, data?.results);
  }

  get data(): StageViewsData {
    return {
      outcomes: this.#outcomes,
      earlier: this.#earlier,
      noOpStages: this.#noOpStages,
      results: this.#results.data,
    };
  }

  /**
   * Call with every event of the journal.
   * @param state right after the event
   */
  note(event: RunEvent, state: RunState): void {
    this.#results.note(event, state);
    if (event.type !== 'StageStarted' && !leavesFiles(event)) return;
    const stage = stagePath(this.#program, state, event.branch ?? mainCursor, event.node_id);
    if (this.#program.nodes.get(event.node_id)?.handler.instant && !this.#isKept(stage)) return;
    const before = this.#outcomes.get(stage);
    if (event.type === 'StageStarted' && before !== undefined) this.#earlier.set(stage, before);
    else if (event.type !== 'StageStarted') this.#earlier.delete(stage);
    if ('outcome' in event) this.#outcomes.set(stage, { visit: event.visit, outcome: event.outcome });
    else if (event.type === 'StageStarted') this.#outcomes.delete(stage);
  }

  /**
   * Writes files that a crash prevented.
   * @param asRecorded true if the directory has what the events tell of and nothing newer: a stage that is under way again then still
   * has the files of its earlier visit, unless they are in their archive, and gets the status by which they are known to be
   */
  restore(stages: StageStore, asRecorded = false): void {
    if (asRecorded)
      for (const [stage, { visit, outcome }] of this.#earlier)
        if (stages.read(`${stage}/visit-${visit}`, statusFileName) === undefined)
          stages.write(stage, statusFileName, statusFileText(outcome));
    for (const [stage, { outcome }] of this.#outcomes) {
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
