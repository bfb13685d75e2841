import type { RunEvent } from '../machine/event.js';
import type { UnreadableFile } from './stage-files.js';

/**
 * Where a run keeps what it must not lose, as a port. The journal is the truth; everything else is for people and tools
 * (DESIGN §4). Every method throws a RunError `storage` when it cannot keep its promise.
 */
export interface RunStore {
  /** The run directory, `logs_root` of the specification. */
  readonly directory: string;
  /** Bytes of the journal so far. */
  readonly journalSize: number;
  appendEvents(events: readonly RunEvent[]): void;
  /** The same, and returns when all appended events are durable: faster than one after the other. */
  appendEventsDurably(events: readonly RunEvent[]): void;
  /** Returns when all appended events are durable. */
  syncEvents(): void;
  /** The same without keeping the process from other things; resolves when what was appended before the call is durable. */
  syncEventsSoon(): Promise<void>;
  /** @returns the size of the checkpoint in bytes */
  writeCheckpoint(checkpoint: object): number;
  writeResult(result: object): void;
  /** Notes where the stages keep their files since the latest restart, relative to the run directory (SEMANTICS 36). */
  recordActiveDirectory(name: string): void;
  /** The directory of a node's files; it may not exist yet. */
  stageDirectory(nodeId: string): string;
  /** The directory is there afterwards, also where a program has removed it. */
  makeStageDirectory(nodeId: string): void;
  writeStageFile(nodeId: string, name: string, text: string): void;
  /** @returns a descriptor open for writing and reading; the file is empty */
  openStageFile(nodeId: string, name: string): number;
  /** Writes the `status.json` of a stage. */
  writeStatus(nodeId: string, text: string): void;
  /** The `status.json` of a stage, if it is not as the engine wrote it; a program may have left one that nobody can read. */
  readForeignStatus(nodeId: string): string | UnreadableFile | undefined;
  /**
   * To be called before an attempt, so that no old status speaks for it (SEMANTICS 59b).
   * @param mayBeSought whether the stage runs programs, which might look for the file: then it is removed
   */
  clearStatus(nodeId: string, mayBeSought: boolean): void;
  /** Undefined also for what is there and is no file that can be read. */
  readStageFile(nodeId: string, name: string): string | undefined;
  removeStageFile(nodeId: string, name: string): void;
  /** Moves the files of an earlier visit to `visit-<n>/`, if it left more than a status (SEMANTICS 71a). */
  archiveVisit(nodeId: string, visit: number): void;
  close(): void;
}
