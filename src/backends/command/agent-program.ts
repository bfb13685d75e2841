import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProcessTree } from '../../handlers/tools/process-tree.js';
import { type GuardedProgram, guardedStart, killGraceMs } from '../guarded-start.js';
import { within } from '../within.js';

/** Program to run. */
export interface ProgramOrder extends GuardedProgram {
  /** Standard input; undefined to leave it empty. */
  readonly input: string | undefined;
}

/** End of a program. */
export type ProgramEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not_started'; readonly error: Error };

export interface ProgramListener {
  readonly onOutput: (chunk: Buffer) => void;
  readonly onErrorOutput: (chunk: Buffer) => void;
}

/**
 * Time in milliseconds for reading outputs after the end; a process that still holds them then has left the
 * group.
 */
const outputGraceMs = 1000;

/**
 * Program of an agent: everything that it starts ends with it, or with this process, whichever ends first.
 */
export class AgentProgram {
  readonly end: Promise<ProgramEnd>;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  #killing: NodeJS.Timeout | undefined;
  #hasExited = false;

  /** @throws the reason if it cannot be started and that is known at once */
  constructor({ input, ...order }: ProgramOrder, listener: ProgramListener) {
    const { child, tree } = guardedStart(order, input === undefined ? 'ignore' : 'pipe');
    this.#child = child;
    this.#tree = tree;
    const { stdin, stdout, stderr } = this.#child;
    stdin?.end(input);
    read(stdout, listener.onOutput);
    read(stderr, listener.onErrorOutput);
    this.end = this.#whenEnded();
  }

  /** Sends SIGTERM to the whole tree, and SIGKILL to what remains after a moment. */
  stop(): void {
    if (this.#hasExited || this.#killing !== undefined) return;
    this.#tree.signal('SIGTERM');
    this.#killing = setTimeout(() => this.#tree.kill(), killGraceMs);
  }

  async #whenEnded(): Promise<ProgramEnd> {
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const end = await new Promise<ProgramEnd>((resolve) => {
      this.#child.once('error', (error) => resolve({ kind: 'not_started', error }));
      this.#child.once('exit', (code, signal) =>
        resolve(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal }),
      );
    });
    this.#hasExited = true;
    clearTimeout(this.#killing);
    // Descendants and the guard end first: as long as they live, the id of the group is not used again.
    await this.#tree.end();
    if (end.kind !== 'not_started') await within(closed, outputGraceMs);
    for (const stream of this.#child.stdio) stream?.destroy();
    return end;
  }
}

function read(stream: Readable | null, onChunk: (chunk: Buffer) => void): void {
  stream?.on('data', onChunk);
}
