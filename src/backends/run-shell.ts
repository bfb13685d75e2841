import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { onAbort } from '../abort/abort.js';
import { messageOf } from '../handlers/error-category.js';
import { commandMark, ProcessTree } from '../handlers/tools/process-tree.js';
import { guardedStart } from './guarded-start.js';
import { within } from './within.js';

/** A command for `sh -c`. */
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
 * Runs a command for a model, or around one. What it leaves behind ends with it, by SIGKILL in the end, and all of it with this process.
 * @param signal stops it; the promise is rejected with its reason
 */
export async function runShell(order: ShellCommand, signal: AbortSignal): Promise<ShellEnd> {
  signal.throwIfAborted();
  const environment = { ...order.environment, [commandMark]: randomUUID() };
  let child: ChildProcess;
  try {
    child = start({ ...order, environment });
  } catch (error) {
    // Thrown for what no program can be given: a NUL character, or more than the system takes.
    return { kind: 'error', message: `the shell could not be started: ${messageOf(error)}` };
  }
  const tree = new ProcessTree(child.pid, environment);
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

function start({ command, directory, environment, input, onOutput }: ShellCommand): ChildProcess {
  const program = { program: '/bin/sh', args: ['-c', command], directory, environment };
  const child = guardedStart(program, 'pipe');
  child.stdin?.end(input ?? '');
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  return child;
}

/** When it has ended and all of its output is read, or a moment after its end. */
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
  // What is left of it, the guard included, would hold the outputs open, of which not all may be read yet.
  await tree.end();
  await within(closed, outputGraceMs);
  for (const stream of child.stdio) stream?.destroy();
  return end;
}
