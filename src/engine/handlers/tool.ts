import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { graphAttribute, nodeAttribute } from '../../graph/attributes.js';
import { failure, type Outcome } from '../machine/outcome.js';
import { messageOf } from './error-category.js';
import { type Handler, type Stage, StageCrash } from './handler.js';
import { toolEnvironment } from './tool-environment.js';

/** What of an output goes into the context; the files have all of it (SEMANTICS 59). */
const outputKept = 64 * 1024;
const reasonKept = 2000;
const killGraceMs = 2000;

/**
 * A tool stage (§4.10): runs `tool_command` by `sh -c` in a process group of its own. The exit code decides; both outputs
 * go straight into files, so that nothing is lost with the process (SEMANTICS 59, 59a, 95).
 */
export const toolHandler: Handler = {
  async execute(stage) {
    const command = nodeAttribute(stage.node, 'tool_command');
    if (command.trim() === '') return failure('No tool_command specified', { retryable: false });
    const directory = workingDirectoryOf(stage);
    if (!isDirectory(directory)) {
      return failure(`the working directory "${directory}" does not exist`, { retryable: false });
    }
    const stdout = stage.openFile('stdout.log');
    const stderr = stage.openFile('stderr.log');
    try {
      const child = spawn('/bin/sh', ['-c', command], {
        cwd: directory,
        env: toolEnvironment(stage),
        stdio: ['ignore', stdout, stderr],
        detached: true,
      });
      const exit = await untilExit(stage, child);
      return outcomeOf(stage, command, exit, tail(stdout, outputKept), tail(stderr, outputKept));
    } finally {
      closeSync(stdout);
      closeSync(stderr);
    }
  },
};

function workingDirectoryOf({ node, graph, workingDirectory }: Stage): string {
  const written = nodeAttribute(node, 'workdir') || graphAttribute(graph, 'workdir');
  return path.resolve(workingDirectory, written);
}

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

type Exit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'error'; readonly message: string };

/** Waits for the shell to end; when the stage is aborted, ends its whole process group first. */
async function untilExit(stage: Stage, child: ChildProcess): Promise<Exit> {
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ kind: 'error', message: messageOf(error) }));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal }),
    );
  });
  const stop = (): void => void stopGroup(child, exited);
  stage.signal.addEventListener('abort', stop, { once: true });
  if (stage.signal.aborted) stop();
  underWay.add(child);
  try {
    return await exited;
  } finally {
    underWay.delete(child);
    stage.signal.removeEventListener('abort', stop);
  }
}

const underWay = new Set<ChildProcess>();

// A process that ends without waiting for its tools, as at a second interruption, takes them with it.
process.on('exit', () => {
  for (const child of underWay) signalGroup(child, 'SIGKILL');
});

/** SIGTERM, and SIGKILL for what is still there after a moment. */
async function stopGroup(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killGraceMs);
  await exited;
  clearTimeout(timer);
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

function outcomeOf(stage: Stage, command: string, exit: Exit, stdout: Tail, stderr: Tail): Outcome {
  for (const [name, output] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    if (output.isCut) {
      stage.log(
        'info',
        `${name} of "${stage.node.id}" is ${output.size} bytes; the context has its last 64 KiB, ${name}.log has it all`,
      );
    }
  }
  const updates = {
    'tool.output': stdout.text,
    'tool.stderr': stderr.text,
    'tool.last_line': stdout.text.trimEnd().split('\n').at(-1)?.trim() ?? '',
    'tool.exit_code': exitCodeOf(exit),
  };
  const reason = failureReason(exit, stderr.text);
  if (reason !== undefined && exit.kind !== 'code')
    throw new StageCrash(reason, { context_updates: updates });
  if (reason !== undefined) return failure(reason, { context_updates: updates });
  return { status: 'success', notes: `Tool completed: ${command}`, context_updates: updates };
}

/** As a shell counts: 128 and the number of the signal, or 127 where there was nothing to run. */
function exitCodeOf(exit: Exit): number {
  switch (exit.kind) {
    case 'code':
      return exit.code;
    case 'signal':
      return 128 + (constants.signals[exit.signal] ?? 0);
    case 'error':
      return 127;
  }
}

function failureReason(exit: Exit, stderr: string): string | undefined {
  const tailOfStderr = stderr.trim().slice(-reasonKept);
  const because = tailOfStderr === '' ? '' : `: ${tailOfStderr}`;
  switch (exit.kind) {
    case 'error':
      return `the shell could not be started: ${exit.message}`;
    case 'signal':
      return `ended by ${exit.signal}${because}`;
    case 'code':
      return exit.code === 0 ? undefined : `exit code ${exit.code}${because}`;
  }
}

interface Tail {
  readonly text: string;
  readonly size: number;
  readonly isCut: boolean;
}

/** The last bytes of an open file as text, starting at a whole character. */
function tail(file: number, limit: number): Tail {
  const { size } = fstatSync(file);
  const buffer = Buffer.alloc(Math.min(size, limit));
  readSync(file, buffer, 0, buffer.length, size - buffer.length);
  const isCut = size > limit;
  let start = 0;
  while (isCut && start < 4 && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return { text: buffer.toString('utf8', start), size, isCut };
}
