/**
 * What the shell of this machine says of commands when it reads them without running anything: one answer for each, undefined
 * where it can read the command or where there is no shell. The core has none; whoever calls it may hand one in.
 */
export type CheckShell = (commands: readonly string[]) => readonly (ShellProblem | undefined)[];

export interface ShellProblem {
  /** In the words of the shell. */
  readonly message: string;
  /** The line of the command, from 1, where the shell gave up; it may be the one after the last. */
  readonly line: number;
}
