/** Result of a call of the command line. */
export interface CallResult {
  /** Exit status; null if it could not be started, or was stopped. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
