import type { SteeringReadiness } from '../../handlers/stage-steering.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { InputBody } from '../../machine/input.js';
import type { ArtifactChange } from '../../run/elsewhere/perform-attempt.js';
import type { StageOrder } from '../../run/elsewhere/stages-elsewhere.js';
import type { FileChange } from '../files/file-change.js';
import type { KnownFile } from '../files/file-tree.js';
import type { RunHistory } from '../run-history.js';

/** Attempt of a stage that any worker may perform for its run. Plain data. */
export interface StageRequest {
  /** Follows from the run, the attempt and the number of the try (`tryId`), so that whoever takes the run over finds it. */
  readonly id: string;
  /** The run that was submitted. */
  readonly runId: string;
  /** Directory of a child run, relative to that of the run; empty for the run itself. */
  readonly place: string;
  readonly effect: ExecuteEffect;
  /** True if a budget limits its costs. */
  readonly isBudgeted: boolean;
}

/** Way in which an attempt has ended there: with an outcome, or so that it has to begin again. */
export type StageEnding = 'settled' | 'unsettled';

/** Report of an attempt to its run. Plain data. */
export interface StageReport {
  /** Id of the report. */
  readonly id: string;
  /** Id of the attempt. */
  readonly stage: string;
  /** Times that it has begun, from 1. */
  readonly execution: number;
  /** Number of the first of its inputs, from 1; each input has the next one, and a report without inputs has one itself. */
  readonly number: number;
  readonly inputs: readonly InputBody[];
  /** Files that it has left, with its end, whichever that is. */
  readonly files?: LeftFiles | undefined;
  readonly artifacts?: readonly StoredArtifactChange[] | undefined;
  /** Its readiness for words of people from now on, in a report of its own: that one may come again. */
  readonly steering?: SteeringReadiness | undefined;
  readonly ending?: StageEnding | undefined;
}

/** Files of a stage as they are; their contents are in the store of the run. Paths are relative to the directory of the run. */
export interface LeftFiles {
  readonly files: readonly (readonly [path: string, file: KnownFile])[];
  /** Files and directories that were there before. */
  readonly removed: readonly string[];
}

/** Change of an artifact, whose value is JSON text in the store of the run. */
export type StoredArtifactChange =
  | Exclude<ArtifactChange, { kind: 'store' }>
  | { readonly kind: 'store'; readonly id: string; readonly name: string; readonly sha256: string };

/** Port of a run to the queue of its stages, which any worker may take. */
export interface StageQueue {
  /**
   * Puts an attempt into the queue, unless it was there before.
   * @returns the end of one that has ended: `settled` only while its report waits, without which it has to begin again
   */
  submit(request: StageRequest): Promise<StageEnding | undefined>;
  /** Takes an attempt out of the queue. @returns false if a worker has begun it */
  withdraw(stage: string): Promise<boolean>;
  /** Ids of the attempts of the run that wait or are under way. */
  open(): Promise<readonly string[]>;
  /** Sends an order to whichever worker has an attempt; one that has ended ignores it. */
  tell(stage: string, order: StageOrder): Promise<void>;
  /**
   * Resolves with reports that were not handed out since the queue was closed, the oldest first, as soon as there are some; rejects
   * when the signal is aborted.
   */
  reports(signal: AbortSignal): Promise<readonly StageReport[]>;
  /** Forgets reports that are recorded, or too late. */
  forget(ids: readonly string[]): void;
  /** Ids, of these, of attempts that the engine has given up. */
  lost(stages: readonly string[]): Promise<readonly LostStage[]>;
  /** Waits for nothing until it is asked for reports again; then it hands out all that are not forgotten. */
  close(): void;
}

export interface LostStage {
  readonly stage: string;
  /** Sentence about it. */
  readonly problem: string;
}

/** Something that is recorded of an attempt, for the worker that begins it again. Plain data. */
export type StageStep =
  | StageBeginning
  /** The worker has left in good order: it has not died. */
  | { readonly kind: 'left' }
  /** Files that have changed since the step before. */
  | { readonly kind: 'files'; readonly changes: readonly FileChange[] };

/** Beginning of an execution. It says what all steps before it have come to, so that nobody reads those. */
export interface StageBeginning {
  readonly kind: 'begun';
  /** Number of the execution, from 1. */
  readonly execution: number;
  /** Executions of this try before it that ended with the death of their worker. */
  readonly deaths: number;
  /** Files that the executions before it have left, or the tries before it. */
  readonly left?: LeftFiles | undefined;
}

/** Port of an attempt to the engine, on the worker that has it. */
export interface StageSteps {
  /** Steps of the execution before this one, its beginning first; empty if there was none. */
  readonly before: readonly StageStep[];
  record(step: StageStep): Promise<void>;
  /** Files that the latest of the tries before this one has left: it was stopped, or its worker died. */
  leftByTriesBefore(): Promise<LeftFiles | undefined>;
  /** Sends a report to the run. @returns when it is durable */
  send(report: StageReport): Promise<void>;
  /** Resolves with orders that this execution has not had; rejects when the signal is aborted. */
  orders(signal: AbortSignal): Promise<readonly StageOrder[]>;
  /** The run as it is recorded now. */
  history(): Promise<RunHistory>;
}
