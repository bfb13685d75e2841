import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeWithMe } from '../../../scripts/leftovers.mjs';

export const executable = path.resolve(import.meta.dirname, '../../../bin/attractor.js');

/** How the command line is started. */
export interface Call {
  readonly cwd?: string;
  /** Added to the environment of the test; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What its standard input holds; without it, nothing. `open` is a pipe to which nobody has written yet. */
  readonly input?: string | 'open';
  /** Run as another user. */
  readonly uid?: number;
  /** Program and arguments that start it, as in a container; by default it is started directly. */
  readonly wrapper?: readonly string[];
}

/** How a process ended. */
export interface Finished {
  /** The exit status; null where a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that may still be under way. */
export interface Running {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  /** What it has printed to both streams so far. */
  output(): string;
  /** Resolves as soon as the condition holds; rejects when the process ends before. */
  until(what: string, condition: () => boolean): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  write(text: string): void;
}

/** Runs the built command line to its end. */
export function attractor(args: readonly string[], call: Call = {}): Promise<Finished> {
  return startAttractor(args, call).finished;
}

/** Starts the built command line as a process of its own. */
export function startAttractor(args: readonly string[], call: Call = {}): Running {
  const { cwd, env, input = '', uid, wrapper = [] } = call;
  const [program = process.execPath, ...rest] = [...wrapper, process.execPath, executable, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  // A process that ends without reading its input breaks the pipe; that is its right.
  child.stdin.on('error', () => undefined);
  if (input !== 'open') child.stdin.end(input);
  const printed = { stdout: collect(child.stdout), stderr: collect(child.stderr) };
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout: printed.stdout(), stderr: printed.stderr() }));
  });
  return {
    pid: child.pid ?? -1,
    finished,
    output: () => printed.stdout() + printed.stderr(),
    until: (what, condition) => waitWhileAlive(child, what, condition, printed.stderr),
    kill: (signal) => void child.kill(signal),
    write: (text) => void child.stdin.write(text),
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

const pollMs = 5;

async function waitWhileAlive(
  child: ChildProcess,
  what: string,
  condition: () => boolean,
  stderr: () => string,
): Promise<void> {
  while (!condition()) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the process ended before ${what}: ${stderr()}`);
    }
    await pause(pollMs);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// One for all tests of this process, because those that run side by side cannot each say when they have ended.
const home = readableDirectory(path.join(realpathSync(tmpdir()), 'attractor-process-'));
removeWithMe(home);

/** An empty directory that other users can read too, removed after the tests. */
export function temporaryDirectory(): string {
  return readableDirectory(path.join(home, 't-'));
}

function readableDirectory(prefix: string): string {
  const directory = mkdtempSync(prefix);
  chmodSync(directory, 0o755);
  return directory;
}

/** A temporary directory with these files in it. */
export function directoryWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);
  return directory;
}
