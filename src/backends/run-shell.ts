import { type ChildProcess, spawn } from 'node:child_process';
import { onAbort } from '../abort/abort.js';
import { messageOf } from '../handlers/error-category.js';
import { signalGroup } from '../handlers/tools/signal-group.js';
import { within } from './within.js';

/** A command for `sh -c`, in a process group of its own. */
export interface ShellCommand {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For its standard input, which is empty otherwise. */
  readonly input?: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Called with what it prints, on both of its outputs, as it comes. */
  readonly onOutput: (chunk: Buffer) => void;
}

export type ShellEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'error'; readonly message: string };

const killGraceMs = 2000;

/** How long the output of a command that has ended may stay open: what has left its process group may hold it. */
const outputGraceMs = 2000;

/**
 * Runs a command for a model, or around one. What it leaves behind in its process group ends with it, by SIGKILL in the end.
 * @param signal stops it; the promise is rejected with its reason
 */
export async function runShell(order: ShellCommand, signal: AbortSignal): Promise<ShellEnd> {
  signal.throwIfAborted();
  let child: ReturnType<typeof start>;
  try {
    child = start(order);
  } catch (error) {
    // Thrown for what no program can be given: a NUL character, or more than the system takes.
    return { kind: 'error', message: `the shell could not be started: ${messageOf(error)}` };
  }
  let timedOut = false;
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child.pid, 'SIGTERM');
    killing ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killGraceMs);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, order.timeout);
  const release = onAbort(signal, stop);
  try {
    const end = await ended(child);
    signal.throwIfAborted();
    return timedOut ? { kind: 'timeout' } : end;
  } finally {
    clearTimeout(timer);
    clearTimeout(killing);
    release();
  }
}

function start({ command, directory, environment, input, onOutput }: ShellCommand): ChildProcess {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // It may end without reading what it is told.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  return child;
}

/** When it has ended and all of its output is read, or a moment after its end. */
async function ended(child: ChildProcess): Promise<ShellEnd> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = await new Promise<ShellEnd>((resolve) => {
    child.once('error', ({ message }) =>
      resolve({ kind: 'error', message: `the shell could not be started: ${message}` }),
    );
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal }),
    );
  });
  if (end.kind === 'error') return end;
  // What is left of the group would hold the outputs open, of which not all may be read yet.
  signalGroup(child.pid, 'SIGKILL');
  await within(closed, outputGraceMs);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return end;
}
