import type { DurableLog } from '../run/driver/durable-log.js';
import type { Execution } from '../run/execution.js';

/** Makes ready what the run in a directory needs on this worker, from its files. */
export type PrepareDrive = (directory: string) => Promise<PreparedDrive>;

export interface PreparedDrive {
  /** Drives the run on from its journal, as `resume` does. Nothing has happened when it returns. */
  start(log: DurableLog): Execution;
  /** Releases what was made ready. */
  close(): Promise<void>;
}
