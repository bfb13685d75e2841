import type { Writable } from 'node:stream';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { formatDuration } from './format-duration.js';

const tickMs = 200;

/** The moving line of the stage under way, with the time that it has taken so far. */
export class StageSpinner {
  readonly #spinner: Spinner;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Writable) {
    this.#spinner = yoctoSpinner({ stream, handleSignals: false });
  }

  start(text: string): void {
    this.clear();
    const startedAt = Date.now();
    this.#spinner.start(text);
    this.#timer = setInterval(() => {
      this.#spinner.text = `${text} ${formatDuration(Date.now() - startedAt)}`;
    }, tickMs);
    this.#timer.unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    if (this.#spinner.isSpinning) this.#spinner.stop();
  }
}
