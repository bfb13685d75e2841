import type { RunEvent } from '../../machine/event.js';
import type { Clock } from '../../run/driver/clock.js';
import type { Log } from '../../telemetry/log.js';
import type { AnsweredQuestion, OpenQuestionJson } from '../api/question.js';
import type {
  AcceptedRun,
  ForkRequest,
  PauseRequestBody,
  Resumption,
  RunDetail,
  RunList,
  RunStatusName,
  SteeredStageJson,
  SteerRequest,
  Submission,
} from '../api/run.js';
import type { WorkerJson } from '../api/worker.js';
import type { JudgePipeline } from '../judging/judge-pipeline.js';
import type { ObserveRun } from './run-observer.js';

/** Selection of runs for a list. */
export interface RunListQuery {
  /** Part of an id, a name or a goal, in any case. */
  readonly search?: string;
  readonly status?: RunStatusName;
  readonly limit: number;
  /** From `next_cursor` of the page before. */
  readonly cursor?: string;
}

export interface RunEventsOptions {
  /** The `seq` of the first event; by default that of the whole run. */
  readonly from?: number;
  /** Aborting it ends the iteration and releases what it holds. */
  readonly signal: AbortSignal;
}

/** Numbers for those who watch the server. */
export interface RunCounts {
  /** Executed by this server now. */
  readonly running: number;
  readonly queued: number;
  /** Number of executed runs that only wait for people, and take no place. */
  readonly waitingForPeople: number;
  /** Open questions of active runs. */
  readonly openQuestions: number;
  /** Number of all runs in the home, by status; statuses without runs are left out. */
  readonly byStatus: ReadonlyMap<RunStatusName, number>;
}

/** Part of a run that somebody wants to see: its history, or also the files that its stages have left. */
export type RunPart = 'history' | 'files';

/**
 * Runs of a server (§9.5): those of a home on this machine, whatever process executes them, or those of a cluster. An id is the name
 * of an existing run, and never made into a path before that is known. If an operation is impossible, a `ProblemError` has the
 * reason: `not_found` for an unknown id, `conflict` for a run in the wrong state, `bad_request` for a
 * mistake of the client, `storage` for a failing disk, `unavailable` for a database that does not answer.
 */
export interface RunRegistry {
  /**
   * Brings a part of a run to this machine. Whoever has an id calls it first: the operations that only look at the run do not wait.
   * @returns undefined if it is here
   */
  fetch(id: string, part: RunPart): Promise<void> | undefined;
  /** @throws ProblemError `bad_request` for a cursor that no list has given */
  list(query: RunListQuery): RunList | Promise<RunList>;
  /**
   * Starts a run, or lays it durably into the queue; in both cases it is on the disk afterwards.
   * @throws ProblemError `invalid_pipeline`, `not_allowed`, `too_many_requests` or `bad_request`
   */
  submit(submission: Submission): Promise<AcceptedRun>;
  detail(id: string): RunDetail;
  /** The same as JSON, as cheap as it gets. */
  detailText(id: string): string;
  /** True for a run that waits to begin or to continue; costs less than its details. */
  isQueued(id: string): boolean;
  /**
   * Events of a run, each once and in order, until it has ended, whatever process executes it: over pauses
   * and over the time in the queue.
   */
  events(id: string, options: RunEventsOptions): AsyncIterable<RunEvent>;
  cancel(id: string): Promise<AcceptedRun>;
  pause(id: string, request: PauseRequestBody): Promise<AcceptedRun>;
  resume(id: string, request: Resumption): Promise<AcceptedRun>;
  /** @returns the new run */
  fork(id: string, request: ForkRequest): Promise<AcceptedRun>;
  questions(id: string): readonly OpenQuestionJson[];
  /** @param question the id of a question, or the stage that asks it */
  answer(id: string, question: string, text: string): Promise<AnsweredQuestion>;
  /** Says something to the model of a running stage. @returns the id of the words in the journal */
  steer(id: string, words: SteerRequest): Promise<SteeredStageJson>;
  /** The run directory; of a run in the queue it has nothing but the pipeline. */
  directory(id: string): string;
  /** @returns stops telling */
  onRunEvent(listener: (event: RunEvent) => void): () => void;
  /** Numbers of the runs, in a cluster as they were when it was asked last. */
  counts(): RunCounts;
  /** Workers that execute the runs; undefined if this server does. */
  readonly workers: (() => Promise<readonly WorkerJson[]>) | undefined;
  /** Pauses what runs, so that the next server resumes it, and waits for that. */
  close(): Promise<void>;
}

/** Dependencies of a registry besides the options of the server. */
export interface RunRegistryDeps {
  readonly log: Log;
  /** Clock of the runs and their details; by default that of this machine, and for a simulation its own. */
  readonly clock?: Clock;
  /** Judges posted pipelines; by default on this thread. */
  readonly judge?: JudgePipeline;
  /** Measures the runs that this server executes. */
  readonly observe?: ObserveRun;
}
