import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onAbort } from '../../abort/abort.js';
import { omitUndefined } from '../../graph/omit-undefined.js';
import { perObject } from '../../graph/per-object.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';
import type { Stage } from '../handler.js';
import { temporaryPlace } from '../make-directories.js';
import { inheritedEnvironment } from './inherited-environment.js';
import { onLines } from './on-lines.js';
import { commandMark, ProcessTree, withoutMarks } from './process-tree.js';
import type { SpawnerReply, SpawnerRequest, ToolEnd, ToolOrder } from './protocol.js';
import { spawnerCode } from './spawner-code.js';
import { toolRegister } from './tool-register.js';

/** Call of a tool by its stage. */
export interface ToolCall extends Omit<ToolOrder, 'set' | 'unset' | 'secrets'> {
  /** Variables that it has besides those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes secrets from the files (DESIGN §4); none if undefined. */
  readonly redactor?: Redactor;
}

/** End of a tool, or the reason why it was not started: its directory does not exist. */
export type ToolResult = ToolEnd | 'no directory';

/**
 * Port that runs the command of a tool stage (§4.10) and keeps its output in the files that the call names.
 */
export type ToolRunner = (call: ToolCall, stage: Stage) => Promise<ToolResult>;

/** Runs tools on this machine (SEMANTICS 59a). */
export const runToolHere: ToolRunner = async (call, stage) => {
  if (!isDirectory(call.directory)) return 'no directory';
  // The tool may write a status file there (SEMANTICS 59b).
  stage.makeStageDirectory();
  const register = path.join(stage.logsRoot, toolRegister);
  return runTool({ ...call, register, redactor: stage.redactor }, stage.signal);
};

function isDirectory(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Two at most: while one waits for its fork, which takes most of its time, the other can work. More would
 * not be worth their memory.
 */
const mostSpawners = Math.min(2, availableParallelism());
const busyFrom = 2;

let spawners: readonly Spawner[] = [];

/**
 * Runs a tool by a spawner of this process. The first tool starts it, several at a time start a second one,
 * and a lost one is replaced (SEMANTICS 59a).
 * @param signal stops the tool: SIGTERM to its process group, SIGKILL after a moment
 */
export function runTool(call: ToolCall, signal: AbortSignal): Promise<ToolEnd> {
  return leastBusySpawner().run(call, signal);
}

/**
 * Starts the spawners of this process, so that they are ready for the first tools.
 * @param atOnce maximum of tools at a time
 */
export function expectTools(atOnce: number): void {
  for (let count = livingSpawners().length; count < Math.min(atOnce, mostSpawners); count += 1)
    startSpawner();
}

function leastBusySpawner(): Spawner {
  const [first] = livingSpawners().toSorted((one, other) => one.load - other.load);
  if (first !== undefined && (first.load < busyFrom || spawners.length === mostSpawners)) return first;
  return startSpawner();
}

function livingSpawners(): readonly Spawner[] {
  spawners = spawners.filter(({ hasEnded }) => !hasEnded);
  return spawners;
}

function startSpawner(): Spawner {
  const another = new Spawner();
  spawners = [...spawners, another];
  return another;
}

// A process that ends without waiting for its tools, as at the last of several interruptions, takes them
// with it.
process.on('exit', () => {
  for (const spawner of spawners) spawner.killTools();
});

/** Halves the memory, and so saves a fifth of each fork. */
const lean = ['--max-semi-space-size=1', '--single-threaded', '--input-type=commonjs'];

interface Pending {
  readonly resolve: (end: ToolEnd) => void;
  readonly environment: Environment;
  /** Found by its marks alone until the spawner has reported its process. */
  tree: ProcessTree;
}

type SpawnerChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Spawner with its connection: a small process that starts tools, waits for them and keeps their output. It
 * keeps this process alive only while a tool is running.
 */
class Spawner {
  readonly #child: SpawnerChild;
  /** Created by the spawner, and removed by the one of the two that ends last. */
  readonly #directory = path.join(temporaryPlace(), `attractor-spawner-${randomUUID()}`);
  readonly #environment = ownEnvironment();
  readonly #differenceOf = perObject((wanted: Environment) => difference(wanted, this.#environment));
  readonly #pending = new Map<number, Pending>();
  readonly #told = new WeakMap<Redactor, number>();
  #lastId = 0;
  #lastWords = '';
  #hasEnded = false;

  constructor() {
    this.#child = spawn(process.execPath, [...lean, '--eval', spawnerCode, this.#directory], {
      cwd: '/',
      env: this.#environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Detached from the terminal: only its owner ends it.
      detached: true,
    });
    this.#child.once('error', ({ message }) => this.#ended(message));
    // If no pipe can be made, the process has none, whatever its type.
    if ((this.#child.stdin as Writable | undefined) === undefined)
      throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' });
    this.#child.once('exit', () => {
      this.#hasEnded = true;
    });
    this.#child.once('close', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk}`.slice(-1000);
    });
    onLines(this.#child.stdout, (line) => this.#hear(JSON.parse(line)));
    asSocket(this.#child.stdin).unref();
    asSocket(this.#child.stderr).unref();
    this.#keepAlive(false);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Number of tools that it runs. */
  get load(): number {
    return this.#pending.size;
  }

  /** @param signal stops the tool: SIGTERM to its process group, SIGKILL after a moment */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolEnd> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { environment: own, redactor, ...order } = call;
    const secrets = redactor && this.#numberOf(redactor);
    // With a new mark: ending it must not end the next attempt of its stage, which a resume may have begun already.
    const environment = { ...own, [commandMark]: randomUUID() };
    const end = new Promise<ToolEnd>((resolve) => {
      if (this.#pending.size === 0) this.#keepAlive(true);
      this.#pending.set(id, { resolve, environment, tree: new ProcessTree(undefined, environment, 0) });
      const { set, unset } = this.#differenceOf(inheritedEnvironment());
      this.#tell({ kind: 'run', id, ...order, secrets, set: { ...set, ...environment }, unset });
    });
    return end.finally(onAbort(signal, () => this.#tell({ kind: 'stop', id })));
  }

  /** Number of a redactor's secrets, which are sent once for all tools of a run. */
  #numberOf(redactor: Redactor): number | undefined {
    if (redactor === noRedactor) return undefined;
    const known = this.#told.get(redactor);
    if (known !== undefined) return known;
    this.#lastId += 1;
    const number = this.#lastId;
    this.#told.set(redactor, number);
    this.#tell({ kind: 'secrets', number, literals: redactor.literals });
    return number;
  }

  killTools(): void {
    for (const { tree } of this.#pending.values()) tree.kill();
  }

  /** Keeps this process alive for the process and its output, because either may end last. */
  #keepAlive(doesKeep: boolean): void {
    for (const handle of [this.#child, asSocket(this.#child.stdout)]) {
      if (doesKeep) handle.ref();
      else handle.unref();
    }
  }

  #tell(request: SpawnerRequest): void {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
  }

  #hear(reply: SpawnerReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    switch (reply.kind) {
      case 'started':
        pending.tree = new ProcessTree(reply.pid, pending.environment, reply.began);
        return;
      case 'ended':
        return this.#settle(reply.id, pending, reply);
    }
  }

  #settle(id: number, { resolve }: Pending, { exit, stdout, stderr }: ToolEnd): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#keepAlive(false);
    resolve({ exit, stdout, stderr });
  }

  /** Settles its tools as lost and kills them: they must not run next to their next attempt. */
  #ended(how: string): void {
    this.#hasEnded = true;
    this.killTools();
    const words = this.#lastWords.trim();
    const message = `the process that runs the tools has ended (${how})${words === '' ? '' : `: ${words}`}`;
    for (const [id, pending] of this.#pending) {
      this.#settle(id, pending, { exit: { kind: 'lost', message }, stdout: 0, stderr: 0 });
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/**
 * Environment of the spawner without this process's Node options; tools receive them all the same. If this
 * process is itself part of a stage, the spawner outlives it for as long as its own tools need to end.
 */
function ownEnvironment(): Record<string, string> {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...rest } = withoutMarks(process.env);
  return omitUndefined(rest);
}

type Environment = Readonly<Record<string, string>>;

function difference(wanted: Environment, known: Environment): Pick<ToolOrder, 'set' | 'unset'> {
  const set = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== known[name]));
  return { set, unset: Object.keys(known).filter((name) => wanted[name] === undefined) };
}

/** Stream to a child as the socket that it is, whatever its type. */
function asSocket(stream: Readable | Writable): Socket {
  return stream as Socket;
}
