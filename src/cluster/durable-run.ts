import type { RunRecord } from '../run/driver/durable-log.js';

/** A run as it is submitted: what the run directory of a new run has. Plain data without secrets. */
export interface Submission {
  readonly runId: string;
  /** Text of `pipeline.dot`. */
  readonly pipeline: string;
  /** Text of `manifest.json`. */
  readonly manifest: string;
}

/** Output of one durable step: what happened in a run, and in those that its stages have started, since the last one. */
export interface Batch {
  readonly records: readonly PlacedRecord[];
  /** Messages that are dealt with; until then a repetition of the run delivers them again. */
  readonly receipts?: readonly Receipt[] | undefined;
  /** Set if a message waits: it is received before the next step. */
  readonly receives?: true | undefined;
  /** Problem of the worker that stops the run until a person resumes it. */
  readonly problem?: string | undefined;
}

export interface PlacedRecord extends RunRecord {
  /** Directory of a child run, relative to that of the run; undefined for the run itself. */
  readonly place?: string;
  /** Files of a child run, when they are new. */
  readonly files?: Pick<Submission, 'pipeline' | 'manifest'>;
}

/** Message of a person to a run. */
export type RunMessage = { readonly id: string } & (
  | { readonly kind: 'answer'; readonly question: string; readonly answer: string }
  | {
      readonly kind: 'steer';
      readonly stage: string;
      readonly branch?: string;
      readonly text: string;
      readonly by?: string;
    }
  | { readonly kind: 'pause'; readonly mode: 'after_stage' | 'now'; readonly reason: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel' }
);

/** Result of a message. */
export interface Receipt {
  readonly id: string;
  /** Reason why it has no effect, as a sentence; undefined if it has. */
  readonly refusal?: string | undefined;
}

/**
 * Port of a run to an engine for durable execution: any that records the results of steps and delivers messages
 * can carry runs. A repetition, for example on another worker, calls the same functions in the same order.
 */
export interface DurableSteps {
  /** Performs an action and records its result; a repetition gets the recorded one, without the action. */
  step(action: () => Promise<Batch>): Promise<Batch>;
  /** Takes the next message, which `messageWaits` has announced; undefined if there is none after all. */
  receive(): Promise<RunMessage | undefined>;
  /** Resolves when a message waits, and rejects when the signal is aborted. Records nothing. */
  messageWaits(signal: AbortSignal): Promise<void>;
}
