import type { RunRecord } from '../run/driver/durable-log.js';
import type { SettingsData } from '../run-directory/settings-data.js';
import type { FileChange } from './files/file-change.js';
import type { FilesReach, Placement } from './placement.js';

/** A run as it is submitted: what the run directory of a new run has. Plain data without secrets. */
export interface Submission {
  readonly runId: string;
  /** Text of `pipeline.dot`. */
  readonly pipeline: string;
  /** Text of `manifest.json`. */
  readonly manifest: string;
  readonly placement: Placement;
  readonly files: { readonly reach: FilesReach; readonly directory: string };
  /** Set for a fork, which rests until a person resumes it. */
  readonly shared?: SharedHistory | undefined;
}

/** Beginning of a fork, which it shares with the run that it comes from. */
export interface SharedHistory {
  readonly batch: Batch;
  /** Runs in whose stores the contents of its files are, the nearest first. */
  readonly runs: readonly string[];
}

/** Output of one durable step: what happened in a run, and in those that its stages have started, since the last one. */
export interface Batch {
  readonly records: readonly PlacedRecord[];
  /** Files that stages have left by then; their contents are in the store (SEMANTICS 142). */
  readonly files?: readonly FileChange[] | undefined;
  /** Messages that are dealt with; until then every execution of the run gets them. */
  readonly receipts?: readonly Receipt[] | undefined;
  /** Set if the run continues because a person has resumed it. */
  readonly resumed?: Resumption | undefined;
  /** Problem of the worker that stops the run until a person resumes it. */
  readonly problem?: string | undefined;
  /** Set if a segment of the run ends with it. */
  readonly ends?: true | undefined;
}

/** End of a segment of a run: what it has come to by then. */
export interface Segment {
  /** Hash of that in the store. */
  readonly seed: string;
  /** Version of attractor that has written it: others do not read it. */
  readonly version: string;
}

export interface RecordedSegment {
  /** Number of the step that ends it. */
  readonly step: number;
  readonly segment: Segment;
}

/** Call by which a person has resumed a run. */
export interface Resumption {
  readonly settings: SettingsData;
  /** Text of `manifest.json` from now on, if the call changes it. */
  readonly manifest?: string | undefined;
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
  | { readonly kind: 'resume'; readonly settings?: SettingsData | undefined }
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
  /** Outputs of the steps so far, from the beginning or after a segment. Records nothing. */
  recorded(after?: RecordedSegment): Promise<readonly Batch[]>;
  /** Ends a segment: performs an action and records its result, unless it is recorded. Without a result, the segment continues. */
  endSegment(action: () => Promise<Segment | undefined>): Promise<void>;
  /** The latest segment that was recorded. */
  latestSegment(): Promise<RecordedSegment | undefined>;
  /** Lets a repetition begin after a segment. Nothing may have been called before that records anything. */
  beginAfter(segment: RecordedSegment): void;
  /**
   * Resolves with messages that this execution has not had, in the order in which they came, as soon as there are some; rejects when
   * the signal is aborted. Records nothing.
   */
  messages(signal: AbortSignal): Promise<readonly RunMessage[]>;
  /** Forgets messages whose receipts are recorded. */
  forget(ids: readonly string[]): void;
  /** Ids of all messages by which a person has resumed the run, those included that are forgotten. Records nothing. */
  resumptions(): Promise<readonly string[]>;
}
