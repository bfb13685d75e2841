import { type ChildProcess, spawn } from 'node:child_process';

/** How long a program has between SIGTERM and SIGKILL. */
export const killGraceMs = 3000;

/** Beside the three streams of a program: the pipe that its guard listens to. */
const guardPipe = 3;

/**
 * The shell becomes the program, after it has started a guard in the same process group. The guard waits for the end of a pipe that
 * this process holds: it comes however this process ends, by SIGKILL too, and then the guard ends the whole group. It costs
 * no process of our own and no cooperation of the program.
 */
const script = [
  '(',
  "trap '' HUP INT TERM",
  `read -r _ <&${guardPipe}`,
  'kill -s TERM -- -$$',
  `sleep ${killGraceMs / 1000}`,
  'kill -s KILL -- -$$',
  ') </dev/null >/dev/null 2>&1 &',
  `exec "$@" ${guardPipe}<&-`,
].join('\n');

export interface GuardedProgram {
  /** A path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a program in a group of its own that ends with this process, and all that it starts with it.
 * @throws what keeps it from being started, if that is known at once
 */
export function guardedStart(
  { program, args, directory, environment }: GuardedProgram,
  input: 'pipe' | 'ignore',
): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script, 'sh', program, ...args], {
    cwd: directory,
    env: { ...environment },
    stdio: [input, 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Without files for its streams it has none at all, and says so only later.
  const streams: ChildProcess['stdio'] | undefined = child.stdio;
  if (streams === undefined) {
    child.once('error', () => undefined);
    throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' });
  }
  for (const stream of streams) stream?.on('error', () => undefined);
  return child;
}

const passing: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

/** Whether a program that could not be started may be started a little later. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && passing.has((error as NodeJS.ErrnoException).code);
}
