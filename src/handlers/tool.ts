import { createHash } from 'node:crypto';
import { closeSync, createReadStream, constants as flags, openSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { nodeAttribute } from '../graph/attributes.js';
import type { JsonValue } from '../graph/json.js';
import { isPresent } from '../graph/look-up.js';
import { cutMark } from '../graph/values/cut-mark.js';
import { failure, type Outcome } from '../machine/outcome.js';
import { messageOf } from './error-category.js';
import { type Handler, type Stage, StageCrash } from './handler.js';
import { holdTime } from './hold-time.js';
import { contextFile } from './tools/context-file.js';
import { failureText } from './tools/failure-text.js';
import type { ToolEnd, ToolExit } from './tools/protocol.js';
import { runToolHere, type ToolRunner } from './tools/run-tool.js';
import { toolCommand } from './tools/tool-command.js';
import { toolDirectory } from './tools/tool-directory.js';
import { stageVariables } from './tools/tool-environment.js';

/** Bytes of an output that go into the context; the files have all of it (SEMANTICS 59). */
const outputKept = 64 * 1024;

/**
 * Tool stage (§4.10): runs `tool_command` by `sh -c` in a new process group. The exit code decides; its
 * output goes to files, which exist only if it prints something (SEMANTICS 59, 59a, 95).
 */
export function toolHandlerWith(runTool: ToolRunner): Handler {
  return {
    isTrusted: true,
    async execute(stage) {
      const written = nodeAttribute(stage.node, 'tool_command');
      if (written.trim() === '') return failure('No tool_command specified', { retryable: false });
      const { command, environment } = toolCommand(stage);
      const directory = toolDirectory(stage);
      const call = {
        command,
        directory,
        environment: { ...stageVariables(stage), ...environment, ...contextFile(stage, written) },
        ...logFiles(stage),
      };
      const end = await runTool(call, stage);
      if (end === 'no directory')
        return failure(`the working directory "${directory}" does not exist`, { retryable: false });
      await keepOutput(stage, call.stdout, end.stdout);
      return outcomeOf(stage, written, end);
    },
  };
}

/** Tool stage on this machine. */
export const toolHandler: Handler = toolHandlerWith(runToolHere);

function logFiles({ stageDirectory }: Stage): Readonly<Record<'stdout' | 'stderr', string>> {
  return {
    stdout: path.join(stageDirectory, 'stdout.log'),
    stderr: path.join(stageDirectory, 'stderr.log'),
  };
}

/** Names the whole output for later stages, unless there is none, or the tool has removed it. */
async function keepOutput(stage: Stage, file: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const sha256 =
    bytes <= outputKept ? hashOfSmall(file, bytes) : await holdTime(stage, hashOfLarge(file, bytes));
  if (sha256 === undefined) return;
  stage.keepFile('output', { $file: `${stage.path}/${path.basename(file)}`, sha256, bytes });
}

function hashOfSmall(file: string, bytes: number): string | undefined {
  const buffer = Buffer.alloc(bytes);
  return readAt(file, buffer, 0) === bytes ? createHash('sha256').update(buffer).digest('hex') : undefined;
}

/** Hash of the first bytes of a file, which is read in pieces; undefined if it cannot be read. */
async function hashOfLarge(file: string, bytes: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const pieces = createReadStream(file, { fd: openSync(file, plainly), start: 0, end: bytes - 1 });
    for await (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
    }
  } catch {
    return undefined;
  }
  return size === bytes ? hash.digest('hex') : undefined;
}

function outcomeOf(stage: Stage, command: string, { exit, ...sizes }: ToolEnd): Outcome {
  const files = logFiles(stage);
  const stdout = readTail(files.stdout, sizes.stdout);
  const stderr = readTail(files.stderr, sizes.stderr);
  for (const [name, { isCut, size }] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    if (isCut) {
      stage.log(
        'info',
        `${name} of "${stage.node.id}" is ${size} bytes; the context holds its last 64 KiB, ${name}.log holds all of it`,
      );
    }
  }
  const updates: Record<string, JsonValue> = {
    'tool.output': stdout.text,
    'tool.stderr': stderr.text,
    'tool.last_line': stdout.text.trimEnd().split('\n').at(-1)?.trim() ?? '',
    'tool.exit_code': exitCodeOf(exit),
    ...cutMarks(stage, { 'tool.output': stdout, 'tool.stderr': stderr }),
  };
  const reason = failureReason(exit, stderr.text, stdout.text);
  if (nodeAttribute(stage.node, 'output') === 'json') {
    const printed = readJson(files.stdout, sizes.stdout);
    if (printed.kind === 'value') updates['tool.json'] = printed.value;
    else if (reason === undefined) throw notJson(stage, printed.problem, updates);
  }
  if (reason !== undefined && exit.kind !== 'code') {
    const retryable = exit.kind === 'lost' ? { retryable: true } : {};
    throw new StageCrash(reason, { ...retryable, context_updates: updates });
  }
  if (reason !== undefined) return failure(reason, { context_updates: updates });
  return { status: 'success', notes: `Tool completed: ${command}`, context_updates: updates };
}

/** A status file does not make this a success: the command has succeeded, and did not do what its node says. */
function notJson(stage: Stage, problem: string, updates: Readonly<Record<string, JsonValue>>): StageCrash {
  return new StageCrash(
    `"${stage.node.id}" has output=json, so its standard output must be exactly one JSON value, but ${problem}`,
    { retryable: false, failure_category: 'terminal', context_updates: updates },
  );
}

type PrintedJson =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'none'; readonly problem: string };

/** Limit of a text in this process, with a margin. */
const longestJson = 500 * 1024 * 1024;

/** The whole of a file as JSON (SEMANTICS 103). */
function readJson(file: string, size: number): PrintedJson {
  if (size === 0) return { kind: 'none', problem: 'it is empty' };
  if (size > longestJson)
    return { kind: 'none', problem: `it has ${size} bytes, and at most ${longestJson} can be read` };
  const buffer = Buffer.alloc(size);
  const length = readAt(file, buffer, 0);
  try {
    return { kind: 'value', value: JSON.parse(buffer.toString('utf8', 0, length)) as JsonValue };
  } catch (error) {
    return { kind: 'none', problem: `it is not: ${messageOf(error)}` };
  }
}

/** Marks of truncated values; those of an earlier tool are removed. */
function cutMarks({ context }: Stage, tails: Readonly<Record<string, Tail>>): Record<string, number | null> {
  const marks: Record<string, number | null> = {};
  for (const [key, { isCut, size }] of Object.entries(tails)) {
    const mark = cutMark(key);
    if (isCut) marks[mark] = size;
    else if (isPresent(context.get(mark))) marks[mark] = null;
  }
  return marks;
}

/** Exit code as a shell counts: 128 and the number of the signal, or 127 if nothing could be run. */
function exitCodeOf(exit: ToolExit): number {
  switch (exit.kind) {
    case 'code':
      return exit.code;
    case 'signal':
      return 128 + (constants.signals[exit.signal] ?? 0);
    case 'error':
    case 'lost':
      return 127;
  }
}

/** A tool that ends by itself says why on one stream or the other (`tsc` and `pytest` on standard output), or on both. */
function failureReason(exit: ToolExit, stderr: string, stdout: string): string | undefined {
  switch (exit.kind) {
    case 'error':
    case 'lost':
      return exit.message;
    case 'signal':
      return failureText(`ended by ${exit.signal}`, stderr, '');
    case 'code':
      return exit.code === 0 ? undefined : failureText(`exit code ${exit.code}`, stderr, stdout);
  }
}

interface Tail {
  readonly text: string;
  readonly size: number;
  readonly isCut: boolean;
}

const nothing: Tail = { text: '', size: 0, isCut: false };

/** Last bytes of a file as text, from the first whole character. A missing file counts as empty. */
function readTail(file: string, size: number): Tail {
  if (size === 0) return nothing;
  const buffer = Buffer.alloc(Math.min(size, outputKept));
  const isCut = size > outputKept;
  const length = readAt(file, buffer, size - buffer.length);
  let start = 0;
  while (isCut && start < 4 && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return { text: buffer.toString('utf8', start, length), size, isCut };
}

/** Flags that neither follow a link nor wait for a pipe. */
const plainly = flags.O_RDONLY | flags.O_NONBLOCK | flags.O_NOFOLLOW;

/** Number of bytes read; a tool may remove its own files, and put pipes in their place. */
function readAt(file: string, buffer: Buffer, position: number): number {
  try {
    const descriptor = openSync(file, plainly);
    try {
      let length = 0;
      // The system reads at most 2 GB at once, and less from some file systems.
      for (let read = 1; read > 0 && length < buffer.length; length += read)
        read = readSync(descriptor, buffer, length, buffer.length - length, position + length);
      return length;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return 0;
  }
}
