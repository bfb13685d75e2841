import type { Program } from '../../graph/program.js';
import { statusFileText } from '../../handlers/read-outcome.js';
import type { RunEvent } from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { mainCursor, type RunState } from '../../machine/state.js';
import type { StatusStore } from '../../run-directory/run-store.js';
import { stagePath } from '../../run-directory/stage-path.js';

/**
 * Number of no-op stages that get a file. Creating one takes a hundred times as long as the stage, and the
 * journal has them all.
 */
export const noOpStagesKept = 64;

type Settled = Extract<RunEvent, { readonly outcome: Outcome }>;

/** Writes the `status.json` of settled stages (§5.6, SEMANTICS 62a). */
export class StatusFiles {
  readonly #program: Program;
  readonly #statuses: StatusStore;
  /** Files to be written once the journal has their events. */
  #pending: { readonly stage: string; readonly text: string }[] = [];
  /** Last texts of no-op stages, which are the same at nearly every visit. */
  readonly #written = new Map<string, string>();

  constructor(program: Program, statuses: StatusStore) {
    this.#program = program;
    this.#statuses = statuses;
  }

  /**
   * Call with every event when it is decided.
   * @param state right after the event: the branch of a stage may end with the next
   */
  note(event: RunEvent, state: RunState): void {
    switch (event.type) {
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
        return this.#prepare(event, state);
    }
  }

  /** Writes the files of all noted events. */
  write(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    for (const { stage, text } of pending) this.#statuses.write(stage, text);
  }

  #prepare({ node_id: nodeId, outcome, branch = mainCursor }: Settled, state: RunState): void {
    const node = this.#program.nodes.get(nodeId);
    if (node === undefined) return;
    const stage = stagePath(this.#program, state, branch, nodeId);
    if (node.handler.instant && !this.#isNews(stage, outcome)) return;
    this.#pending.push({ stage, text: statusFileText(outcome) });
  }

  #isNews(stage: string, outcome: Outcome): boolean {
    const before = this.#written.get(stage);
    if (before === undefined && this.#written.size >= noOpStagesKept) return false;
    const { status, failure_reason: reason = '', preferred_label: label = '', notes = '' } = outcome;
    const summary = `${status} ${reason} ${label} ${notes}`;
    if (before === summary) return false;
    this.#written.set(stage, summary);
    return true;
  }
}
