import { CommanderError } from 'commander';
import { printableLines } from '../../diagnostic/printable.js';
import { describeFailure, foreignPlace } from '../../plugins/describe-failure.js';
import { RunError } from '../../run-directory/run-error.js';
import { redactorOf } from '../../setup/keys.js';
import { UsageError } from '../../setup/usage-error.js';
import { version } from '../../version.js';
import { exitCode, exitCodeOfRunError } from '../exit-code.js';
import type { Io } from '../io.js';
import { StalledError, UncaughtError } from '../uncaught-error.js';

/** Says why a command ended early. @returns the exit status (DESIGN §5) */
export function reportError(error: unknown, io: Io): number {
  // What was wrong with the arguments has been said where they were parsed.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  if (error instanceof UncaughtError) return reportStray(error, io);
  if (error instanceof StalledError) {
    say(error.message, io);
    return exitCode.failure;
  }
  if (error instanceof UsageError) {
    say(error.message, io);
    return exitCode.usage;
  }
  if (error instanceof RunError) {
    say(error.message, io);
    return exitCodeOfRunError(error.code);
  }
  const outside = systemProblem(error);
  say(outside ?? `${bugText}\n${stackOf(error)}`, io);
  return exitCode.failure;
}

/** Problem with the directory or the limits of this process, which no code of ours could solve. */
function systemProblem(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return 'the current directory no longer exists: change to one that does';
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'too many files are open: raise the limit of this shell (such as `ulimit -n 4096`), and call the command again';
  return undefined;
}

function reportStray({ thrown, details }: UncaughtError, io: Io): number {
  const { plugins = [], advice, exitStatus } = details;
  const isOurs = plugins.length === 0 && thrown instanceof Error && foreignPlace(thrown) === undefined;
  const lines = [
    ...(isOurs ? [bugText] : []),
    `an error was thrown outside the stages: ${describeFailure(thrown)}`,
    '  by a timer, an event or a promise that nobody awaits, so it belongs to no stage',
    ...(plugins.length === 0 ? [] : [`  plugins: ${plugins.join(', ')}`]),
    ...(advice === undefined ? [] : [`  ${advice}`]),
    isOurs || isDebugging(io) ? stackOf(thrown) : '  ATTRACTOR_DEBUG=1 in the environment shows the stack',
  ];
  say(lines.join('\n'), io);
  return exitStatus;
}

const bugText = `this is a bug in attractor ${version}; please report it with the following`;

function isDebugging({ env: { ATTRACTOR_DEBUG: debug = '' } }: Io): boolean {
  return debug !== '' && debug !== '0';
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(message: string, io: Io): void {
  io.stderr.write(`attractor: ${printableLines(redactorOf(io).text(message))}\n`);
}
