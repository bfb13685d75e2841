import type { RunErrorCode } from '../run-directory/run-error.js';
import type { RunResult } from '../view/run-result.js';
import type { OverviewStatus } from '../view/run-status.js';

/** The exit statuses of the command line (DESIGN §5). */
export const exitCode = {
  ok: 0,
  /** The pipeline failed, or lint found errors. */
  failure: 1,
  /** An unusable call or unreadable input. */
  usage: 2,
  /** Paused, waiting for a person. */
  paused: 3,
  cancelled: 4,
  /** Files on disk are damaged. */
  integrity: 5,
  /** The time to wait was up, as `timeout` of the shell says it. */
  timedOut: 124,
  interrupted: 130,
} as const;

const codeOfRunError: Readonly<Record<RunErrorCode, number>> = {
  usage: exitCode.usage,
  run_exists: exitCode.usage,
  run_not_found: exitCode.usage,
  run_locked: exitCode.usage,
  unusable_directory: exitCode.usage,
  storage: exitCode.failure,
  run_damaged: exitCode.integrity,
};

export function exitCodeOfRunError(code: RunErrorCode): number {
  return codeOfRunError[code];
}

const codeOfStatus: Readonly<Record<RunResult['status'], number>> = {
  success: exitCode.ok,
  fail: exitCode.failure,
  paused: exitCode.paused,
  cancelled: exitCode.cancelled,
};

export function exitCodeOfStatus(status: RunResult['status']): number {
  return codeOfStatus[status];
}

/** Exit status for a run that another process has executed; a run whose process has died counts as failed. */
export function exitCodeOfOverview(status: OverviewStatus): number {
  return status === 'queued' || status === 'running' || status === 'interrupted'
    ? exitCode.failure
    : exitCodeOfStatus(status);
}
