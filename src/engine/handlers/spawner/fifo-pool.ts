import { execFileSync } from 'node:child_process';
import path from 'node:path';

const fewest = 16;

/**
 * Named pipes to use again and again. Tools get these and no anonymous ones, because Node would give them sockets, which
 * a tool cannot open again as /dev/stdout or /dev/stderr; and no files, because creating those costs more than the tool
 * where many were removed a moment ago.
 */
export class FifoPool {
  readonly #directory: string;
  readonly #free: string[] = [];
  #made = 0;

  /** @param directory an empty one that belongs to the pool */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A pipe that nobody has open. */
  take(): string {
    if (this.#free.length === 0) this.#grow();
    const fifo = this.#free.pop();
    if (fifo === undefined) throw new Error('mkfifo made no pipes');
    return fifo;
  }

  /** @param fifo one whose end has been read, so that no process writes to it any more */
  giveBack(fifo: string): void {
    this.#free.push(fifo);
  }

  #grow(): void {
    const more = Math.max(fewest, this.#made);
    const paths = Array.from({ length: more }, (_, index) =>
      path.join(this.#directory, String(this.#made + index)),
    );
    // `command -p` finds mkfifo whatever PATH says.
    execFileSync('/bin/sh', ['-c', 'command -p mkfifo -m 600 "$@"', 'sh', ...paths], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#made += more;
    this.#free.push(...paths);
  }
}
