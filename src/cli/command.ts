import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../graph/coerce.js';
import type { Io } from './io.js';

/** One command of the command line: its words and what it does. Heavy modules are imported by `run`, not before. */
export interface CliCommand<Options = object> {
  readonly name: string;
  readonly summary: string;
  /** A call that works, shown by `--help`. */
  readonly example: string;
  /** Declares arguments and options. */
  configure(command: Command): Command;
  /**
   * @param args the positional arguments
   * @returns the exit status (DESIGN §5)
   * @throws UsageError or RunError, which `main` turns into a message and an exit status
   */
  run(args: readonly string[], options: Options, io: Io): Promise<number>;
}

/** Reads the value of an option that counts something. @throws InvalidArgumentError for anything but a number of at least 1 */
export function parseCount(text: string): number {
  if (!/^[1-9][0-9]*$/.test(text)) throw new InvalidArgumentError('Expected a number of at least 1.');
  return Number(text);
}

/** Reads the value of an option that says how old something is, in milliseconds. @throws InvalidArgumentError */
export function parseAge(text: string): number {
  const age = parseDuration(text);
  if (age === undefined) throw new InvalidArgumentError('Expected a duration, such as 12h or 30d.');
  return age.milliseconds;
}
