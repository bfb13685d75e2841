import type { RunEvent } from '../machine/event.js';
import type { StageFiles } from './stage-files.js';
import type { StageStatuses } from './stage-statuses.js';

/**
 * Storage of a run, as a port. The journal is the truth; everything else is for people and tools (DESIGN
 * §4). Every method throws a RunError `storage` when it cannot keep its promise.
 */
export interface RunStore {
  /** Run directory, `logs_root` of the specification. */
  readonly directory: string;
  readonly journal: EventLog;
  /** Files of the stages, by the path of each stage in the run directory. */
  readonly stages: StageStore;
  /** Their `status.json`. */
  readonly statuses: StatusStore;
  /** @returns the size of the checkpoint in bytes */
  writeCheckpoint(checkpoint: object): number;
  writeResult(result: object): void;
  /**
   * Records the directory of the stages' files since the latest restart, relative to the run directory
   * (SEMANTICS 36).
   */
  recordActiveDirectory(name: string): void;
  close(): void;
}

/** Journal of a run. */
export interface EventLog {
  /** Size so far in bytes. */
  readonly size: number;
  append(events: readonly RunEvent[]): void;
  /** Like `append`, but returns when all appended events are durable: faster than appending and syncing. */
  appendDurably(events: readonly RunEvent[]): void;
  /** Returns when all appended events are durable. */
  sync(): void;
  /**
   * Like `sync`, without blocking the process; resolves when everything appended before the call is
   * durable.
   */
  syncSoon(): Promise<void>;
  /** Resolves when what was appended is in the file of the journal; undefined if it always is at once. */
  readonly settled?: Promise<void>;
}

export type StageStore = Pick<
  StageFiles,
  | 'exposeDirectory'
  | 'makeDirectory'
  | 'write'
  | 'open'
  | 'append'
  | 'setAside'
  | 'read'
  | 'readBytes'
  | 'readReferenced'
  | 'sync'
  | 'archiveVisit'
  | 'archiveAttempt'
>;

export type StatusStore = Pick<StageStatuses, 'write' | 'readForeign' | 'clear' | 'forget'>;
