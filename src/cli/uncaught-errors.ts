import { exitCode } from './exit-code.js';
import type { Io, OutputStream } from './io.js';
import { reportError } from './output/report-error.js';
import { fixedStatus, onUncaughtError, StalledError, UncaughtError } from './uncaught-error.js';

/** Milliseconds after which the process ends, longer than a stopped stage takes. */
const uncaughtPatienceMs = 20_000;
/** Milliseconds in which the output must be written, if the source of an error keeps the process alive. */
const outputPatienceMs = 1000;

/** Uncaught errors. A command may continue after one and finish, but not for ever. */
export class UncaughtErrors {
  readonly #io: Io;
  #first: UncaughtError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wasIdle = false;
  #giveUp: (error: UncaughtError | StalledError) => void = () => undefined;
  /** Exit status of the command, when it has ended. */
  #status: number | undefined;
  /** Rejects when a command has not ended long after such an error, or never will. */
  readonly outlasted = new Promise<never>((_, reject) => {
    this.#giveUp = reject;
  });

  constructor(io: Io) {
    this.#io = io;
    this.outlasted.catch(() => undefined);
    onUncaughtError(io, (thrown) => this.#note(thrown));
    io.on('beforeExit', () => this.#noteIdle());
  }

  /** @throws UncaughtError if there was one that the command has not reported */
  check(): void {
    if (this.#first !== undefined) throw this.#first;
  }

  /** @returns the exit status of the command, when what it has printed is out */
  async endCommand(status: number): Promise<number> {
    this.#status = status;
    if (this.#first !== undefined) await this.#leave(status);
    return status;
  }

  #note(thrown: unknown): void {
    if (this.#first !== undefined) return;
    const status = this.#status;
    const exitStatus = status ?? fixedStatus(this.#io) ?? exitCode.failure;
    const error = new UncaughtError(thrown, { exitStatus });
    this.#first = error;
    if (status === undefined) this.#timer = setTimeout(() => this.#giveUp(error), uncaughtPatienceMs);
    else {
      reportError(error, this.#io);
      void this.#leave(status);
    }
  }

  /**
   * Handles an empty event loop: a running command may react; if it does nothing, the process is idle again
   * at once.
   */
  #noteIdle(): void {
    if (this.#status !== undefined) return;
    if (this.#wasIdle) this.#giveUp(new StalledError());
    this.#wasIdle = true;
    setImmediate(() => undefined);
  }

  async #leave(status: number): Promise<void> {
    clearTimeout(this.#timer);
    const out = Promise.all([written(this.#io.stdout), written(this.#io.stderr)]);
    await Promise.race([out, timeout(outputPatienceMs)]);
    setTimeout(() => process.exit(status)).unref();
  }
}

function written(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', resolve));
}

function timeout(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
