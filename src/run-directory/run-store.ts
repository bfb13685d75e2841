import type { RunEvent } from '../machine/event.js';
import type { StageFiles } from './stage-files.js';
import type { StageStatuses } from './stage-statuses.js';

/**
 * Where a run keeps what it must not lose, as a port. The journal is the truth; everything else is for people and tools
 * (DESIGN §4). Every method throws a RunError `storage` when it cannot keep its promise.
 */
export interface RunStore {
  /** The run directory, `logs_root` of the specification. */
  readonly directory: string;
  readonly journal: EventLog;
  /** The files of the stages, each by the place of its stage in the run directory. */
  readonly stages: StageStore;
  /** Their `status.json`. */
  readonly statuses: StatusStore;
  /** @returns the size of the checkpoint in bytes */
  writeCheckpoint(checkpoint: object): number;
  writeResult(result: object): void;
  /** Notes where the stages keep their files since the latest restart, relative to the run directory (SEMANTICS 36). */
  recordActiveDirectory(name: string): void;
  close(): void;
}

/** The journal of a run. */
export interface EventLog {
  /** Bytes so far. */
  readonly size: number;
  append(events: readonly RunEvent[]): void;
  /** The same, and returns when all appended events are durable: faster than one after the other. */
  appendDurably(events: readonly RunEvent[]): void;
  /** Returns when all appended events are durable. */
  sync(): void;
  /** The same without keeping the process from other things; resolves when what was appended before the call is durable. */
  syncSoon(): Promise<void>;
}

export type StageStore = Pick<
  StageFiles,
  'exposeDirectory' | 'makeDirectory' | 'write' | 'open' | 'read' | 'archiveVisit' | 'archiveAttempt'
>;

export type StatusStore = Pick<StageStatuses, 'write' | 'readForeign' | 'clear' | 'forget'>;
