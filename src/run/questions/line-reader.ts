import { createInterface, type Interface } from 'node:readline';
import { onAbort } from '../../abort/abort.js';

type Waiting = (line: string | undefined) => void;

/**
 * Returns the lines of a stream one at a time. The content of a pipe is kept until it is needed; text that
 * is typed at a terminal while nothing is asked is dropped, because it cannot be meant for a later
 * question.
 */
export class LineReader {
  readonly #input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  #interface: Interface | undefined;
  readonly #lines: string[] = [];
  #hasEnded = false;
  #waiting: Waiting | undefined;

  constructor(input: NodeJS.ReadableStream & { readonly isTTY?: boolean }) {
    this.#input = input;
  }

  /** Next line, or undefined at the end of the input or when the signal is aborted. */
  next(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    this.#open();
    const line = this.#lines.shift();
    if (line !== undefined || this.#hasEnded) return Promise.resolve(line);
    return new Promise((resolve) => {
      const finish: Waiting = (next) => {
        release();
        this.#waiting = undefined;
        resolve(next);
      };
      const release = onAbort(signal, () => finish(undefined));
      this.#waiting = finish;
    });
  }

  close(): void {
    this.#interface?.close();
  }

  #open(): void {
    if (this.#interface !== undefined) return;
    this.#interface = createInterface({ input: this.#input, terminal: false });
    this.#interface.on('line', (line) => {
      if (this.#waiting !== undefined) this.#waiting(line);
      else if (this.#input.isTTY !== true) this.#lines.push(line);
    });
    this.#interface.on('close', () => {
      this.#hasEnded = true;
      this.#waiting?.(undefined);
    });
  }
}
