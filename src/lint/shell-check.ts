/**
 * Parses commands by the shell of this machine without running them: one answer for each, undefined if the
 * shell accepts it or there is no shell. The core has none; its caller may pass one in.
 */
export type CheckShell = (commands: readonly string[]) => readonly (ShellProblem | undefined)[];

export interface ShellProblem {
  /** Message of the shell. */
  readonly message: string;
  /** Line of the command, from 1, at which the shell gave up; it may be the one after the last. */
  readonly line: number;
}
