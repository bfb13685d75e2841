import { onAbort } from '../../abort/abort.js';
import { names } from './names.js';

/** Notices messages for a run without taking them, which only the workflow may do. */
export class MessageWatch {
  readonly #source: MessageSource;
  readonly #runId: string;
  readonly #release: () => void;
  #isWaiting = false;
  #onMessage: () => void = () => undefined;

  constructor(runId: string, source: MessageSource) {
    this.#runId = runId;
    this.#source = source;
    this.#release = source.listen(runId, () => this.#noticed());
  }

  /** Looks for messages that have come so far. */
  async look(): Promise<void> {
    this.#isWaiting = await this.#source.hasMessages(this.#runId);
  }

  /** Resolves when a message waits; rejects when the signal is aborted. */
  waits(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isWaiting) return resolve();
      this.#onMessage = resolve;
      onAbort(signal, () => reject(signal.reason));
    });
  }

  close(): void {
    this.#release();
  }

  #noticed(): void {
    this.#isWaiting = true;
    this.#onMessage();
  }
}

/** Messages for the runs of a worker. */
export interface MessageSource {
  /** @returns a function that stops listening */
  listen(runId: string, onMessage: () => void): () => void;
  hasMessages(runId: string): Promise<boolean>;
}

/** Key of the listeners to the messages of a run, in DBOS. */
export function channelOf(runId: string): string {
  return `${runId}::${names.topic}`;
}
