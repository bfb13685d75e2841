import type { Writable } from 'node:stream';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { formatDuration } from '../../view/format-duration.js';
import type { MovingLine } from './progress.js';

const tickMs = 200;

/** The moving line of the stage under way, with the time that it has taken so far. */
export class StageSpinner {
  readonly #spinner: Spinner;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Writable) {
    this.#spinner = yoctoSpinner({ stream, handleSignals: false });
  }

  start({ text, since, rest }: MovingLine): void {
    this.clear();
    const now = (): string => {
      const elapsed = Date.now() - since;
      return `${text}${elapsed < tickMs ? '' : ` ${formatDuration(elapsed)}`}${rest}`;
    };
    this.#spinner.start(now());
    this.#timer = setInterval(() => {
      this.#spinner.text = now();
    }, tickMs);
    this.#timer.unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    if (this.#spinner.isSpinning) this.#spinner.stop();
  }
}
