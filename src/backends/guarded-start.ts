import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { commandMark, ProcessTree, stageMarks } from '../handlers/tools/process-tree.js';

/** Time in milliseconds between SIGTERM and SIGKILL. */
export const killGraceMs = 3000;

/** Descriptor of the pipe to the guard, after the three standard streams. */
const guardPipe = 3;

/**
 * `ProcessTree` for a shell: `strays` prints the members that have left the group. Only reading an
 * environment starts processes. A mark with a line break is ambiguous, so the search is skipped then.
 */
const search = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell's
  'read -r stat </proc/$$/stat && set -- ${stat##*) } && began=${20}',
  `for name in ${stageMarks.join(' ')}; do`,
  '  eval "value=\\$$name"',
  "  case $value in '' | *'\n'*) began= ;; esac",
  'done',
  'is_marked() {',
  `  for name in ${stageMarks.join(' ')} \${${commandMark}:+${commandMark}}; do`,
  '    eval "value=\\$$name"',
  `    tr '\\0' '\\n' <$1/environ | grep -qxF -e "$name=$value" || return 1`,
  '  done',
  '}',
  'strays() {',
  '  [ -n "$began" ] || return',
  '  for process in /proc/[0-9]*; do',
  '    read -r stat <$process/stat || continue',
  '    set -- ${stat##*) }',
  '    [ $3 = $$ ] || [ ${20} -lt $began ] || ! is_marked $process || echo ${process#/proc/}',
  '  done',
  '}',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell's
];

/**
 * The shell becomes the program, after it has started a guard in the same process group. The guard waits
 * for the end of a pipe that this process holds: the pipe ends however this process ends, by SIGKILL too,
 * and then the guard ends the whole tree. It costs no process of our own and no cooperation of the program.
 */
const script = [
  '(',
  "trap '' HUP INT TERM",
  'PATH=$PATH:/usr/bin:/bin',
  'began= killed=',
  ...search,
  `read -r _ <&${guardPipe}`,
  'kill -s TERM -- -$$ $(strays)',
  `sleep ${killGraceMs / 1000}`,
  // The program first: it then starts nothing more, and its group still holds the guard.
  'kill -s KILL $$',
  'while :; do',
  '  found=',
  '  for pid in $(strays); do case " $killed " in *" $pid "*) ;; *) found="$found $pid" ;; esac; done',
  '  [ -n "$found" ] || break',
  '  killed="$killed$found"',
  '  kill -s KILL $found',
  'done',
  'kill -s KILL -- -$$',
  ') </dev/null >/dev/null 2>&1 &',
  `exec "$@" ${guardPipe}<&-`,
].join('\n');

export interface GuardedProgram {
  /** Path of the executable. */
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program that was started, with everything that it starts. */
export interface Guarded {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
}

/**
 * Starts a program in a new process group that ends with this process, with everything that the program
 * starts. A later program of the same stage is not among them: a worker that has lost the run ends its own only.
 * @throws the reason if it cannot be started and that is known at once
 */
export function guardedStart(
  { program, args, directory, environment: given }: GuardedProgram,
  input: 'pipe' | 'ignore',
): Guarded {
  const environment = { ...given, [commandMark]: randomUUID() };
  const child = spawn('/bin/sh', ['-c', script, 'sh', program, ...args], {
    cwd: directory,
    env: environment,
    stdio: [input, 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Without descriptors for its streams there are none, and the error event comes only later.
  const streams: ChildProcess['stdio'] | undefined = child.stdio;
  if (streams === undefined) {
    child.once('error', () => undefined);
    throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' });
  }
  for (const stream of streams) stream?.on('error', () => undefined);
  return { child, tree: new ProcessTree(child.pid, environment) };
}

const passing: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

/** True if a program that could not be started may be started a little later. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && passing.has((error as NodeJS.ErrnoException).code);
}
