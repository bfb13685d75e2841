import type { RunEvent } from '../../machine/event.js';
import type { Input } from '../../machine/input.js';

/** Part of the history of a run: what the machine was given, and the events that followed. Plain data. */
export interface RunRecord {
  readonly inputs: readonly Input[];
  readonly events: readonly RunEvent[];
}

/**
 * Durable place for the history of a run, instead of the disk of this machine (SEMANTICS 140). The run
 * directory is a cache then.
 */
export interface DurableLog {
  /**
   * Keeps the next record.
   * @returns resolves when it is durable; rejects if it never will be, because the run continues elsewhere
   */
  keep(record: RunRecord): Promise<void>;
  /** Log of a run that a stage of this one has started, by its run directory. */
  below(directory: string): DurableLog;
}

/** Inputs and events since the last record. */
export class RecordBuffer {
  #inputs: Input[] = [];
  #events: RunEvent[] = [];
  #isDue = false;

  /** True if it holds a decision that must not be lost, for example the outcome of a stage. */
  get isDue(): boolean {
    return this.#isDue;
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  /** @param isDue true if the input must be durable soon, whatever depends on it */
  addInput(input: Input, isDue: boolean): void {
    this.#inputs.push(input);
    if (isDue) this.#isDue = true;
  }

  addEvent(event: RunEvent): void {
    this.#events.push(event);
  }

  take(): RunRecord {
    const record = { inputs: this.#inputs, events: this.#events };
    this.#inputs = [];
    this.#events = [];
    this.#isDue = false;
    return record;
  }
}

/**
 * True if an input decides something that must outlive this machine. Text that tells progress does not: if
 * it is lost, its stage runs again.
 */
export function isDecisive(input: Input): boolean {
  switch (input.kind) {
    case 'log':
    case 'checkpoint_saved':
      return false;
    case 'stage_progress':
      // Money that was spent counts, whatever becomes of the stage; so does a conversation to be continued.
      return input.progress.kind === 'model_used' || input.progress.kind === 'session_started';
    default:
      return true;
  }
}
