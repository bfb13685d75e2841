import type { ChildProcess } from 'node:child_process';
import { onAbort } from '../abort/abort.js';
import { messageOf } from '../handlers/error-category.js';
import type { ProcessTree } from '../handlers/tools/process-tree.js';
import { type Guarded, guardedStart } from './guarded-start.js';
import { within } from './within.js';

/** Command for `sh -c`. */
export interface ShellCall {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty if undefined. */
  readonly input?: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Called with each piece of its output, of both streams, as it comes. */
  readonly onOutput: (chunk: Buffer) => void;
}

export type ShellEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'error'; readonly message: string };

const killGraceMs = 2000;

/**
 * Time in milliseconds that the output of an ended command may stay open: a process that has left its group
 * may hold it.
 */
const outputGraceMs = 2000;

/**
 * Runs a command for a model, or around one. Its descendants end with it, by SIGKILL if necessary, and all
 * of them with this process.
 * @param signal stops it; the promise is rejected with its reason
 */
export async function runShell(order: ShellCall, signal: AbortSignal): Promise<ShellEnd> {
  signal.throwIfAborted();
  let started: Guarded;
  try {
    started = start(order);
  } catch (error) {
    // Thrown for arguments that no program accepts: a NUL character, or more than the system takes.
    return { kind: 'error', message: `the shell could not be started: ${messageOf(error)}` };
  }
  const { child, tree } = started;
  let timedOut = false;
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    tree.signal('SIGTERM');
    killing ??= setTimeout(() => tree.kill(), killGraceMs);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, order.timeout);
  const release = onAbort(signal, stop);
  try {
    const end = await ended(child, tree);
    signal.throwIfAborted();
    return timedOut ? { kind: 'timeout' } : end;
  } finally {
    clearTimeout(timer);
    clearTimeout(killing);
    release();
  }
}

function start({ command, directory, environment, input, onOutput }: ShellCall): Guarded {
  const program = { program: '/bin/sh', args: ['-c', command], directory, environment };
  const guarded = guardedStart(program, 'pipe');
  const { child } = guarded;
  child.stdin?.end(input ?? '');
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  return guarded;
}

/** Resolves when it has ended and all of its output is read, or a moment after its end. */
async function ended(child: ChildProcess, tree: ProcessTree): Promise<ShellEnd> {
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
  // Descendants and the guard would hold the outputs open, which may not all be read yet.
  await tree.end();
  await within(closed, outputGraceMs);
  for (const stream of child.stdio) stream?.destroy();
  return end;
}
