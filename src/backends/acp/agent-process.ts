import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { signalGroup } from '../../engine/handlers/spawner/signal-group.js';

export interface AgentProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How a program ended, or that it did not even start. */
export type AgentExit =
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'not_started'; readonly error: Error };

/** How long a program has to end by itself, and then to obey SIGTERM. */
const leaveMs = 1000;
const killGraceMs = 3000;
/** Characters of what it says on its standard error that are kept, the last ones. */
const lastWordsKept = 200_000;

/**
 * The process of an agent, which leads a group of its own: whatever it starts ends with it. Its standard input is that of the
 * protocol, so that it also notices when this process is gone.
 */
export class AgentProcess {
  readonly exit: Promise<AgentExit>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #lastWords = '';
  #leftOut = 0;
  #hasExited = false;

  /** @throws what keeps it from being started, if that is known at once */
  constructor({ program, args, directory, environment }: AgentProgram) {
    this.#child = spawn(program, args, {
      cwd: directory,
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    underWay.add(this);
    endWithThisProcess();
    this.exit = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ kind: 'not_started', error }));
      this.#child.once('exit', (code, signal) =>
        resolve({ kind: 'exited', how: signal === null ? `exit code ${code}` : `signal ${signal}` }),
      );
    });
    void this.exit.then(() => {
      this.#hasExited = true;
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  /** What it has said on its standard error. */
  get lastWords(): string {
    if (this.#leftOut === 0) return this.#lastWords;
    return `[${this.#leftOut} characters left out]\n${this.#lastWords}`;
  }

  /** Ends it and all that it has started. @param isUrgent where it has no time to finish by itself */
  async stop(isUrgent: boolean): Promise<void> {
    this.#child.stdin.end();
    if (!isUrgent) await this.#exitWithin(leaveMs);
    if (!this.#hasExited) {
      signalGroup(this.#child.pid, 'SIGTERM');
      await this.#exitWithin(killGraceMs);
    }
    this.kill();
    await this.exit;
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    underWay.delete(this);
  }

  /** Also what it has left behind. */
  kill(): void {
    signalGroup(this.#child.pid, 'SIGKILL');
  }

  #hear(text: string): void {
    const words = `${this.#lastWords}${text}`;
    this.#leftOut += Math.max(0, words.length - lastWordsKept);
    this.#lastWords = words.slice(-lastWordsKept);
  }

  async #exitWithin(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.exit, time]);
    clearTimeout(timer);
  }
}

/** A process that ends in the middle of a stage leaves nobody behind. */
const underWay = new Set<AgentProcess>();
let isWatching = false;

function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const agent of underWay) agent.kill();
  });
}
