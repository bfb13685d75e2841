import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { FifoPool } from './fifo-pool.js';
import { type Hiding, hidingOf } from './hiding.js';
import { onLines } from './on-lines.js';
import { type Environment, ProcessTree, startOf } from './process-tree.js';
import type { SpawnerReply, SpawnerRequest, ToolEnd, ToolExit, ToolOrder } from './protocol.js';
import { type OutputResources, ToolOutput } from './tool-output.js';
import { registerTool } from './tool-register.js';

// Program of the spawner: a process that stays small and starts tools for one that may be large, because
// the cost of a fork grows with the size of the forking process. It takes requests from its standard input
// and replies on its standard output. The end of its input means the end of its owner, for whatever reason:
// it ends all tools, and then itself.

process.title = 'attractor-spawner';

// Code must run for long before it is optimized, as the search for secrets in a large output does: otherwise that would
// take a twelfth of the time for the first thousand tools. An engine without this flag only complains here, but does not
// start with an option that it does not know.
setFlagsFromString('--interrupt-budget=2000000');

const [, directory = ''] = process.argv;
const fifos = new FifoPool(directory);
const tools = new Map<number, RunningTool>();
/** Kept as long as the process lives: a few texts for each run of its owner. */
const hidings = new Map<number, Hiding>();
let hasOwner = true;

process.stdout.on('error', () => undefined);
process.stdin.on('error', ownerGone);
process.stdin.once('end', ownerGone);
onLines(process.stdin, (line) => obey(JSON.parse(line)));

function obey(request: SpawnerRequest): void {
  switch (request.kind) {
    case 'run':
      return run(request.id, request);
    case 'stop':
      return tools.get(request.id)?.stop();
    case 'secrets':
      hidings.set(request.number, hidingOf(request.literals));
      return;
  }
}

function run(id: number, order: ToolOrder): void {
  let telling: NodeJS.Timeout | undefined;
  const end = (end: ToolEnd): void => {
    clearTimeout(telling);
    tools.delete(id);
    reply({ kind: 'ended', id, ...end });
    if (!hasOwner && tools.size === 0) leave();
  };
  try {
    const hiding = order.secrets === undefined ? undefined : hidings.get(order.secrets);
    const tool = new RunningTool(order, { fifos, hiding }, end);
    tools.set(id, tool);
    const { pid, began } = tool;
    if (pid !== undefined)
      telling = setTimeout(() => reply({ kind: 'started', id, pid, began }), toldAfterMs);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    end({ exit: { kind: 'error', message }, stdout: 0, stderr: 0 });
  }
}

function reply(message: SpawnerReply): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function ownerGone(): void {
  hasOwner = false;
  for (const tool of tools.values()) tool.stop();
  if (tools.size === 0) leave();
}

function leave(): void {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

/** Most tools end sooner, and then nobody needs to know their number. */
const toldAfterMs = 10;
/** Most tools end sooner, and then need no stream. */
const followAfterMs = 100;
const killGraceMs = 2000;

/** Running tool: a shell that leads its own process group, and its descendants (SEMANTICS 59a). */
class RunningTool {
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  /** Start of the shell, which distinguishes it from a later process with the same id. */
  readonly began: number | undefined;
  readonly #following: NodeJS.Timeout;
  #killing: NodeJS.Timeout | undefined;

  /** @throws the reason if the shell cannot be started and that is known at once */
  constructor(order: ToolOrder, resources: OutputResources, onEnd: (end: ToolEnd) => void) {
    const outputs = openOutputs(order, resources);
    const environment = environmentOf(order);
    this.#child = startShell(order, environment, outputs);
    this.began = startOf(this.pid);
    this.#tree = new ProcessTree(this.pid, environment, this.began);
    this.#register(order, environment);
    let hasEnded = false;
    const end = (exit: ToolExit): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.#exited();
      onEnd(endOf(exit, outputs));
    };
    this.#child.once('error', ({ message }) => end({ kind: 'error', message: notStarted(message) }));
    this.#child.once('exit', (code, signal) =>
      end(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal }),
    );
    this.#following = setTimeout(() => {
      outputs.stdout.follow();
      outputs.stderr.follow();
    }, followAfterMs);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends SIGTERM to the whole tree, and SIGKILL to what remains after a moment. */
  stop(): void {
    if (this.#killing !== undefined) return;
    this.#tree.signal('SIGTERM');
    this.#killing = setTimeout(() => this.#tree.kill(), killGraceMs);
  }

  #register({ register }: ToolOrder, { ATTRACTOR_STAGE_DIR: stageDirectory }: Environment): void {
    const { pid, began } = this;
    if (register === undefined || pid === undefined || began === undefined) return;
    registerTool(register, { pid, began, stage_dir: stageDirectory ?? '' });
  }

  #exited(): void {
    clearTimeout(this.#following);
    if (this.#killing === undefined) return;
    clearTimeout(this.#killing);
    this.#tree.kill();
  }
}

interface Outputs {
  readonly stdout: ToolOutput;
  readonly stderr: ToolOutput;
}

function openOutputs(order: ToolOrder, resources: OutputResources): Outputs {
  const stdout = new ToolOutput(resources, order.stdout);
  try {
    return { stdout, stderr: new ToolOutput(resources, order.stderr) };
  } catch (error) {
    stdout.closeWriter();
    stdout.settle();
    throw error;
  }
}

/** Environment of this process; copied once, because each look at a variable is a call into the system. */
const inherited = { ...process.env };

function environmentOf({ set, unset }: ToolOrder): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...inherited, ...set };
  for (const name of unset) delete environment[name];
  return environment;
}

function startShell(
  { command, directory }: ToolOrder,
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: Outputs,
): ChildProcess {
  let child: ChildProcess | undefined;
  try {
    child = spawn('/bin/sh', ['-c', command], {
      cwd: directory,
      env,
      stdio: ['ignore', stdout.writer, stderr.writer],
      detached: true,
    });
    return child;
  } catch (error) {
    throw new Error(notStarted(error instanceof Error ? error.message : String(error)));
  } finally {
    for (const output of [stdout, stderr]) {
      output.closeWriter();
      if (child === undefined) output.settle();
    }
  }
}

function notStarted(why: string): string {
  return `the shell could not be started: ${why}`;
}

function endOf(exit: ToolExit, { stdout, stderr }: Outputs): ToolEnd {
  stdout.settle();
  stderr.settle();
  const problem = stdout.problem ?? stderr.problem;
  return {
    exit:
      problem === undefined ? exit : { kind: 'error', message: `its output could not be kept in ${problem}` },
    stdout: stdout.size,
    stderr: stderr.size,
  };
}
