import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.js';
import type { Io, OutputStream, ProcessEvent } from '../../src/cli/io.js';
// Commands load it when they need it; the one listener that it adds to the process is no trace of a test.
import '../../src/handlers/tools/run-tool.js';

/** How the command line is called. */
export interface Call {
  /** Without it, one where nothing is. */
  readonly cwd?: string;
  /** The whole environment, but for the path to programs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What standard input holds; without it, nothing. `open` is a pipe to which nobody has written yet. */
  readonly input?: string | 'open';
}

export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A call that may still be under way. */
export interface Running {
  readonly finished: Promise<Finished>;
  /** What it has printed to both streams so far. */
  output(): string;
  /** Resolves as soon as the condition holds; rejects when the call ends before. */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Tells the command of a signal, as the process would. */
  signal(name: Extract<ProcessEvent, `SIG${string}`>): void;
  write(text: string): void;
}

/** Calls the command line in this process, and waits for its end. */
export function attractor(args: readonly string[], call: Call = {}): Promise<Finished> {
  return startAttractor(args, call).finished;
}

/** Calls the command line in this process: much faster than one of its own, where nothing depends on that. */
export function startAttractor(args: readonly string[], call: Call = {}): Running {
  const { cwd = '/nowhere', env, input = '' } = call;
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  if (input !== 'open') stdin.end(input);
  const printed = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof printed): OutputStream => ({
    write(text, onWritten) {
      printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      onWritten?.();
    },
  });
  const events = new EventEmitter();
  const io: Io = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { PATH: process.env.PATH, ...env },
    cwd: () => cwd,
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
  };
  let hasEnded = false;
  const finished = runCommandLine(args, io)
    .then((status) => ({ status, ...printed }))
    .finally(() => {
      hasEnded = true;
    });
  const signal: Running['signal'] = (name) => {
    if (!events.emit(name)) throw new Error(`${name} would have ended the process`);
  };
  // A test that fails leaves no run behind.
  onTestFinished(async () => {
    if (hasEnded) return;
    signal('SIGTERM');
    await finished;
  });
  return {
    finished,
    output: () => printed.stdout + printed.stderr,
    until: async (what, condition) => {
      while (!condition()) {
        if (hasEnded) throw new Error(`the call ended before ${what}: ${printed.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
    signal,
    write: (text) => void stdin.write(text),
  };
}

const pollMs = 2;
