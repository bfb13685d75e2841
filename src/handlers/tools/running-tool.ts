import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { commandMark, type Environment, ProcessTree, startOf } from './process-tree.js';
import type { ToolEnd, ToolExit, ToolOrder } from './protocol.js';
import { type OutputMeans, ToolOutput } from './tool-output.js';
import { registerTool } from './tool-register.js';

/** Most tools end sooner, and cost no stream then. */
const followAfterMs = 100;
const killGraceMs = 2000;

/** A tool that was started: a shell that leads a process group of its own, and what it starts (SEMANTICS 59a). */
export class RunningTool {
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  /** Start of the shell, by which it is known from another process that has its id later. */
  readonly began: number | undefined;
  readonly #following: NodeJS.Timeout;
  #killing: NodeJS.Timeout | undefined;

  /** @throws what keeps the shell from being started, if that is known at once */
  constructor(order: ToolOrder, means: OutputMeans, onEnd: (end: ToolEnd) => void) {
    const outputs = openOutputs(order, means);
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

  /** SIGTERM to the whole tree, and SIGKILL for what is still there after a moment. */
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

function openOutputs(order: ToolOrder, means: OutputMeans): Outputs {
  const stdout = new ToolOutput(means, order.stdout);
  try {
    return { stdout, stderr: new ToolOutput(means, order.stderr) };
  } catch (error) {
    stdout.closeWriter();
    stdout.settle();
    throw error;
  }
}

/** Asked for once: each look at a variable of the process is a call into the system. */
const inherited = { ...process.env };

/** Each tool has a mark of its own: ending it must not end the next attempt of its stage, which a resume may have begun already. */
function environmentOf({ set, unset }: ToolOrder): Environment {
  const environment: Record<string, string | undefined> = { ...inherited, ...set };
  for (const name of unset) delete environment[name];
  environment[commandMark] = randomUUID();
  return environment;
}

function startShell(
  { command, directory }: ToolOrder,
  env: Environment,
  { stdout, stderr }: Outputs,
): ChildProcess {
  let child: ChildProcess | undefined;
  try {
    child = spawn('/bin/sh', ['-c', command], {
      cwd: directory,
      env: { ...env },
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
