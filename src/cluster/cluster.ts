import type { StageWorkers } from '../view/active-stage.js';
import type { Batch, RunMessage, Submission } from './durable-run.js';
import type { FileStore } from './files/file-store.js';
import type { RunHistory } from './run-history.js';
import type { RunEnd } from './run-progress.js';

/** Runs that several workers share, for those who submit, watch and steer them. */
export interface Cluster {
  /** @param priority from 0, which is the default, to 9999: workers take runs with a larger one first */
  submit(submission: Submission, priority?: number): Promise<void>;
  /** @returns undefined if there is no such run */
  find(runId: string): Promise<ClusterRun | undefined>;
  /**
   * Runs, the newest first.
   * @param limit of their number; all by default
   * @param which all, or those that have not ended
   */
  list(limit?: number, which?: 'all' | 'open'): Promise<readonly ListedRun[]>;
  /**
   * Reads what was recorded of several runs since, in the order of the steps of each.
   * @param after `next` of the latest news of each run; 0 for one of which nothing is known
   */
  news(after: ReadonlyMap<string, number>): Promise<readonly RunNews[]>;
  /** Workers with a sign of life, the longest at work first. */
  workers(): Promise<readonly ClusterWorker[]>;
  /**
   * The same cluster as a tenant has it: the database itself keeps the runs of all others from it.
   * @param tenant letters, digits and `.`, `_`, `-`
   * @throws UsageError if this login may not act for the tenant, with what the owner of the database does about it
   */
  forTenant(tenant: string): Promise<Cluster>;
  close(): Promise<void>;
}

export interface ListedRun {
  readonly runId: string;
  /** `queued`, `running`, how the run has ended, or `error` for one that the engine could not carry on. */
  readonly status: string;
  readonly worker: string | undefined;
  /** Text of `manifest.json`. */
  readonly manifest: string;
  /** Beginning that a fork shares with another run. */
  readonly shared: Batch | undefined;
  /** Progress of a run that is over. */
  readonly end: RunEnd | undefined;
  /** Milliseconds since 1970. */
  readonly submittedAt: number;
  /** Thing that a run in the queue waits for, as the end of a sentence. */
  readonly awaits: string | undefined;
  /** Reason why the run does not continue; from the engine alone, why it could not carry the run on. */
  readonly problem: string | undefined;
}

/** A step that was recorded of a run. */
export interface RunNews {
  readonly runId: string;
  readonly batch: Batch;
  /** Place of what comes after it. */
  readonly next: number;
}

/** A worker as it describes itself. */
export interface ClusterWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly labels: readonly string[];
  readonly max_runs: number;
  readonly runs: number;
  /** Number of stages that it performs for runs that are spread. */
  readonly stages: number;
  /** The most that it takes. */
  readonly max_stages: number;
  readonly version: string;
  readonly started: Date;
  readonly beat: Date;
  readonly leaving: boolean;
}

/** A run in the database, as it was when it was read last. */
export interface ClusterRun {
  readonly history: RunHistory;
  /** Milliseconds since 1970. */
  readonly submittedAt: number;
  /** Files of the run in the database. */
  readonly files: FileStore;
  readonly carrier: Carrier;
  /** Name of the machine of the worker that has the run, or had it last. */
  readonly machine: string | undefined;
  /**
   * Workers that perform stages of the run now, if it is spread, by the place of the stage's run and `attemptKey`, with a `/` between them
   * (the id of a child run; nothing for the run itself).
   */
  readonly stageWorkers: StageWorkers;
  /** Reads what was recorded since. */
  refresh(): Promise<void>;
  /** History as it was when the run had a number of events, with what was recorded together with the last one of them. */
  historyUntil(seq: number): Promise<RunHistory>;
  /**
   * Sends a message; two with the same id are one.
   * @returns the id of the message, by which its receipt is found in the history
   */
  send(message: UnsentMessage, id?: string): Promise<string>;
  /** Puts a run that has ended, or that the engine could not carry on, back into the queue; any other stays where it is. */
  restart(): Promise<void>;
}

/** Carrier of a run: a worker; the queue, where it waits for one; nothing, if it is over or the engine gave it up. */
export type Carrier =
  | {
      readonly kind: 'worker';
      readonly id: string;
      readonly host: string;
      readonly pid: number;
      /** Time at which it took the run, in milliseconds since 1970. */
      readonly since: number;
    }
  | {
      readonly kind: 'queue';
      readonly since: number;
      /** Thing that it waits for, as the end of a sentence; undefined if a worker will take it at once. */
      readonly awaits: string | undefined;
    }
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly problem: string };

/** A message without its id. */
export type UnsentMessage = RunMessage extends infer Message
  ? Message extends RunMessage
    ? Omit<Message, 'id'>
    : never
  : never;
