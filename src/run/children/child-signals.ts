import { onAbort } from '../../abort/abort.js';
import { messageOf } from '../../handlers/error-category.js';
import { type Stage, StageStopped } from '../../handlers/handler.js';
import { RunError } from '../../run-directory/run-error.js';

/**
 * Signals that stop a child: from its stage, for which it pauses if that will run again and is cancelled
 * otherwise, or from its supervisor.
 */
export class ChildSignals {
  readonly #cancelling = new AbortController();
  readonly #pausing = new AbortController();
  readonly #stopping = new AbortController();
  readonly #stopListening: readonly (() => void)[];

  constructor({ signal, pauseSignal }: Pick<Stage, 'signal' | 'pauseSignal'>) {
    const onStop = (): void => {
      if (willRunAgain(signal.reason)) this.#stopping.abort({ reason: messageOf(signal.reason) });
      else this.cancel();
    };
    const onPause = (): void =>
      this.#pausing.abort({ mode: 'after_stage', reason: messageOf(pauseSignal.reason) });
    this.#stopListening = [onAbort(signal, onStop), onAbort(pauseSignal, onPause)];
  }

  /** Aborted when the child must be cancelled. */
  get cancelSignal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Aborted when it must pause after the running stages. */
  get pauseSignal(): AbortSignal {
    return this.#pausing.signal;
  }

  /** Aborted when it must pause at once. */
  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  cancel(): void {
    this.#cancelling.abort();
  }

  close(): void {
    for (const stopListening of this.#stopListening) stopListening();
  }
}

/**
 * True if a stopped stage comes back when its run is resumed; so does one of a run that can't be written
 * any more, later.
 */
function willRunAgain(reason: unknown): boolean {
  return reason instanceof StageStopped ? reason.why === 'paused' : reason instanceof RunError;
}
