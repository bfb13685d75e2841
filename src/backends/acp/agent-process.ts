import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ProcessTree } from '../../handlers/tools/process-tree.js';
import { type GuardedProgram, guardedStart, killGraceMs } from '../guarded-start.js';
import { within } from '../within.js';

/** End of a program, or its failure to start. */
export type AgentExit =
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'not_started'; readonly error: Error };

/** Time in milliseconds in which a program may end by itself. */
const leaveMs = 1000;
/**
 * Time in milliseconds for reading outputs after the end; a process that still holds them then has left the
 * group.
 */
const outputGraceMs = 1000;
/** Characters of standard error that are kept, the last ones. */
const lastWordsKept = 200_000;

/**
 * Process of an agent: everything that it starts ends with it, or with this process, whichever ends first.
 * Its standard input is that of the protocol.
 */
export class AgentProcess {
  /** Resolves when all of its output is read as well. */
  readonly exit: Promise<AgentExit>;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #streams: Streams;
  #lastWords = '';
  #leftOut = 0;
  #hasExited = false;

  /** @throws the reason if it cannot be started and that is known at once */
  constructor(program: GuardedProgram) {
    const { child, tree } = guardedStart(program, 'pipe');
    this.#child = child;
    this.#tree = tree;
    this.#streams = streamsOf(this.#child);
    underWay.add(this);
    endWithThisProcess();
    this.exit = this.#whenEnded();
    this.#streams.stderr.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
  }

  get input(): Writable {
    return this.#streams.stdin;
  }

  get output(): Readable {
    return this.#streams.stdout;
  }

  /** Last characters of standard error. */
  get lastWords(): string {
    if (this.#leftOut === 0) return this.#lastWords;
    return `[${this.#leftOut} characters left out]\n${this.#lastWords}`;
  }

  /**
   * Ends it and everything that it has started.
   * @param isUrgent true to give it no time to finish by itself
   */
  async stop(isUrgent: boolean): Promise<void> {
    this.#streams.stdin.end();
    if (!isUrgent) await within(this.exit, leaveMs);
    if (!this.#hasExited) {
      this.#tree.signal('SIGTERM');
      await within(this.exit, killGraceMs);
    }
    this.kill();
    await this.exit;
    for (const stream of this.#child.stdio) stream?.destroy();
    underWay.delete(this);
  }

  /** Kills it with everything that it has started; after its exit nothing is left. */
  kill(): void {
    if (!this.#hasExited) this.#tree.kill();
  }

  async #whenEnded(): Promise<AgentExit> {
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const exit = await new Promise<AgentExit>((resolve) => {
      this.#child.once('error', (error) => resolve({ kind: 'not_started', error }));
      this.#child.once('exit', (code, signal) =>
        resolve({ kind: 'exited', how: signal === null ? `exit code ${code}` : `signal ${signal}` }),
      );
    });
    this.#hasExited = true;
    if (exit.kind === 'not_started') return exit;
    // Its descendants and the guard would hold the outputs open, which may not all be read yet.
    await this.#tree.end();
    await within(closed, outputGraceMs);
    return exit;
  }

  #hear(text: string): void {
    const words = `${this.#lastWords}${text}`;
    this.#leftOut += Math.max(0, words.length - lastWordsKept);
    this.#lastWords = words.slice(-lastWordsKept);
  }
}

interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** @throws Error if there are none */
function streamsOf({ stdin, stdout, stderr }: ChildProcess): Streams {
  if (stdin === null || stdout === null || stderr === null) throw new Error('it has no streams');
  return { stdin, stdout, stderr };
}

/** Processes to kill when this process ends in the middle of a stage. */
const underWay = new Set<AgentProcess>();
let isWatching = false;

function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const agent of underWay) agent.kill();
  });
}
