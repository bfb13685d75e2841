import type { CompileOptions } from '../compiler/compile.js';
import type { RunCall } from '../run/children/run-engine.js';
import type { AttemptHere } from '../run/elsewhere/perform-attempt.js';
import type { ContinuedExecution } from '../run/execution.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import type { Permits } from './limits/permits.js';

/** A run that is cancelled executes nothing: it needs no backend, and may be cancelled wherever it may not run. */
export type DrivePurpose = 'continue' | 'cancel';

/**
 * Makes ready what the run in a directory needs on this worker, from its files.
 * @param given settings of the call that has resumed it
 */
export type PrepareDrive = (
  directory: string,
  given: RecordedSettings,
  purpose: DrivePurpose,
) => Promise<PreparedDrive>;

type DriveCall = Pick<RunCall, 'durableLog' | 'cache' | 'elsewhere' | 'isWaking'>;

export interface PreparedDrive {
  /** Language extensions of the run, and of those below it. */
  readonly compileOptions: CompileOptions;
  /**
   * Drives the run on from its journal, as `resume` does. Nothing has happened when it returns.
   */
  start(call: DriveCall): ContinuedExecution;
  /**
   * Performs one attempt of a stage for a run that another worker drives.
   * @param directory of the run, or of a child run below it
   */
  perform(directory: string, attempt: AttemptHere): Promise<void>;
  /** Releases what was made ready. */
  close(): Promise<void>;
}

/** Likewise, within the rights of whoever has submitted the run, and the limits of the cluster. */
export type PrepareSubmitted = (
  directory: string,
  given: RecordedSettings,
  submitter: Submitter,
  permits: Permits,
  purpose: DrivePurpose,
) => Promise<PreparedDrive>;

/** Whoever has submitted a run. */
export interface Submitter {
  /** Name of the tenant; undefined for the owner of the cluster and its workers, who may do here what they like. */
  readonly tenant: string | undefined;
  /** Manifests of the child runs that a fork brings. */
  readonly children: readonly string[];
}
