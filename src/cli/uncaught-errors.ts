import { exitCode } from './exit-code.js';
import type { Io, OutputStream } from './io.js';
import { reportError } from './output/report-error.js';
import { fixedStatus, onUncaughtError, StalledError, UncaughtError } from './uncaught-error.js';

/** Longer than any stage takes that is told to stop. */
const uncaughtPatienceMs = 20_000;
/** How long what was printed has to get out, where whatever threw an error keeps the process alive. */
const outputPatienceMs = 1000;

/** Errors that nobody caught. A command may continue after one and end what it has begun, but not for ever. */
export class UncaughtErrors {
  readonly #io: Io;
  #first: UncaughtError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wasIdle = false;
  #giveUp: (error: UncaughtError | StalledError) => void = () => undefined;
  /** Of the command, when it has ended. */
  #status: number | undefined;
  /** Rejects when a command has not come to an end long after such an error, or never will. */
  readonly outlasted = new Promise<never>((_, reject) => {
    this.#giveUp = reject;
  });

  constructor(io: Io) {
    this.#io = io;
    this.outlasted.catch(() => undefined);
    onUncaughtError(io, (thrown) => this.#note(thrown));
    io.on('beforeExit', () => this.#noteIdle());
  }

  /** @throws UncaughtError where there was one of which the command has told nobody */
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

  /** What is under way may know better what to do; if it does nothing, the process is idle again at once. */
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
