import type { PauseRequest } from '../run/pause-request.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';
import { onUncaughtError } from './uncaught-error.js';

/** - `stalled`: nothing is left in the process that could ever end the running stages */
type Cause =
  | { readonly kind: 'signal' }
  | { readonly kind: 'stray'; readonly thrown: unknown }
  | { readonly kind: 'stalled' };

/**
 * Interruption of a run from within its process. Ctrl-C pauses it when the running stages have ended, a
 * second one cancels it, a third one ends the process at once. SIGTERM, which other programs send, and
 * SIGHUP, which a closing terminal sends, stop the stages and pause the run; so do uncaught errors, and
 * stages that nothing is left to end. Before the run begins, signals end the process at once.
 */
export class Interruption {
  readonly #io: Io;
  readonly #beforehand: string;
  readonly #pausing = new AbortController();
  readonly #cancelling = new AbortController();
  readonly #stopWatching: () => void;
  #tell: ((text: string) => void) | undefined;
  #cause: Cause | undefined;

  private constructor(io: Io, beforehand: string) {
    this.#io = io;
    this.#beforehand = beforehand;
    this.#stopWatching = onUncaughtError(io, this.#onStray);
    io.on('SIGINT', this.#onInterrupt);
    io.on('SIGTERM', this.#onTermination);
    io.on('SIGHUP', this.#onTermination);
    io.on('beforeExit', this.#onIdle);
  }

  /**
   * Carries out what a command does with a run, from the first moment on so that it can be interrupted.
   * @param beforehand what is true as long as the run has not begun, for the person
   */
  static async during(
    io: Io,
    beforehand: string,
    action: (interruption: Interruption) => Promise<number>,
  ): Promise<number> {
    const interruption = new Interruption(io, beforehand);
    try {
      return await action(interruption);
    } finally {
      interruption.end();
    }
  }

  get pauseSignal(): AbortSignal {
    return this.#pausing.signal;
  }

  get cancelSignal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** First cause. */
  get cause(): Cause | undefined {
    return this.#cause;
  }

  get beforehand(): string {
    return this.#beforehand;
  }

  /**
   * Begins the run, which can be paused or cancelled from now on.
   * @param tell shows the person what will happen
   */
  begin(tell: (text: string) => void): void {
    this.#tell = tell;
  }

  /** The run is over, and signals do what they do to every process. */
  end(): void {
    this.#stopWatching();
    this.#io.off('SIGINT', this.#onInterrupt);
    this.#io.off('SIGTERM', this.#onTermination);
    this.#io.off('SIGHUP', this.#onTermination);
    this.#io.off('beforeExit', this.#onIdle);
  }

  readonly #onInterrupt = (): void => {
    if (this.#tell === undefined) return this.#endBeforehand();
    if (this.cancelSignal.aborted) process.exit(exitCode.interrupted);
    if (this.pauseSignal.aborted) {
      this.#tell('cancelling the run; Ctrl-C again ends this process at once');
      this.#cancelling.abort();
    } else {
      this.#tell('pausing after the running stages; an open question is kept; Ctrl-C again cancels the run');
      this.#pause({ kind: 'signal' }, 'after_stage', 'interrupted');
    }
  };

  readonly #onTermination = (): void => {
    if (this.#tell === undefined) return this.#endBeforehand();
    if (this.pauseSignal.aborted) process.exit(exitCode.interrupted);
    this.#pause({ kind: 'signal' }, 'now', 'interrupted');
  };

  readonly #onStray = (thrown: unknown): void => {
    if (this.#cause !== undefined) return;
    this.#tell?.(`${thrownOutside}: stopping what is running`);
    this.#pause({ kind: 'stray', thrown }, 'now', thrownOutside);
  };

  readonly #onIdle = (): void => {
    if (this.#tell === undefined || this.#cause !== undefined) return;
    this.#pause({ kind: 'stalled' }, 'now', stalled);
  };

  #pause(cause: Cause, mode: PauseRequest['mode'], reason: string): void {
    this.#cause ??= cause;
    this.#pausing.abort({ mode, reason } satisfies PauseRequest);
  }

  #endBeforehand(): void {
    this.#io.stderr.write(`attractor: interrupted: ${this.#beforehand}\n`);
    process.exit(exitCode.interrupted);
  }
}

const thrownOutside = 'an error was thrown outside the stages';
const stalled = 'the run waits for a promise that no timer, connection or process is left to settle';
