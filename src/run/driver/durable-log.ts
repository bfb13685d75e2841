import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import type { Input } from '../../machine/input.js';
import type { Progress } from '../../machine/progress.js';

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
  /** Call before the first record, with the program that decides. */
  drives(program: Program): void;
  /**
   * Keeps the next record, and before it what the stages have left by then (SEMANTICS 142).
   * @param stages paths of the stages, in the run directory, whose files may have changed
   * @returns warnings about files, for the log, once it is durable; rejects if it never will be, because the run continues elsewhere
   */
  keep(record: RunRecord, stages: readonly string[]): Promise<readonly string[]>;
  /**
   * Answers that each stage has had since the call that has resumed the run, by earlier drives, under its name in a script of the run
   * above all: a script of answers continues after them.
   */
  readonly answered: ReadonlyMap<string, number>;
  /** Log of a run that a stage of this one has started, by its run directory. */
  below(directory: string): DurableLog;
}

/** Inputs, events, and stages with other files, since the last record. */
export class RecordBuffer {
  #inputs: Input[] = [];
  #events: RunEvent[] = [];
  #stages = new Set<string>();
  #isDue = false;

  /** True if it holds a decision that must not be lost, for example the outcome of a stage. */
  get isDue(): boolean {
    return this.#isDue;
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0 && this.#stages.size === 0;
  }

  /** @param isDue true if the input must be durable soon, whatever depends on it */
  addInput(input: Input, isDue: boolean): void {
    this.#inputs.push(input);
    if (isDue) this.#isDue = true;
  }

  addEvent(event: RunEvent): void {
    this.#events.push(event);
  }

  /**
   * Notes that the files of a stage may have changed.
   * @param isDue true if they must be kept soon, whatever happens
   */
  addStage(stage: string, isDue = false): void {
    this.#stages.add(stage);
    if (isDue) this.#isDue = true;
  }

  take(): { readonly record: RunRecord; readonly stages: readonly string[] } {
    const taken = { record: { inputs: this.#inputs, events: this.#events }, stages: [...this.#stages] };
    this.#inputs = [];
    this.#events = [];
    this.#stages = new Set();
    this.#isDue = false;
    return taken;
  }
}

type LeavingFiles =
  | 'StageCompleted'
  | 'StageFailed'
  | 'StageSkipped'
  | 'StageSuspended'
  | 'ModelUsed'
  | 'SessionStarted'
  | 'SteeringDelivered';

/** True if an event tells of something that its stage has left in files. */
export function leavesFiles(event: RunEvent): event is Extract<RunEvent, { readonly type: LeavingFiles }> {
  switch (event.type) {
    case 'StageCompleted':
    case 'StageFailed':
    case 'StageSkipped':
    case 'StageSuspended':
    case 'ModelUsed':
    case 'SessionStarted':
    case 'SteeringDelivered':
      return true;
    default:
      return false;
  }
}

/**
 * True if an input decides something that must outlive this machine, or is for people who look at the run now: what the log says of a
 * stage that waits must not wait with it. Other text that tells progress is lost with its stage, which runs again.
 */
export function isDecisive(input: Input): boolean {
  switch (input.kind) {
    case 'checkpoint_saved':
    case 'wake':
      return false;
    case 'stage_progress':
      return outlivesStage(input.progress);
    default:
      return true;
  }
}

/** Money that was spent counts, whatever becomes of the stage; so do a conversation to be continued, and words that were delivered. */
function outlivesStage({ kind }: Progress): boolean {
  return kind === 'model_used' || kind === 'session_started' || kind === 'steering_delivered';
}
