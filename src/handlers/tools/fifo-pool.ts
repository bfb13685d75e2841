import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { makeChosenTemporaryDirectory } from '../make-directories.js';

const fewest = 16;

/**
 * Pool of named pipes. Tools get these and no anonymous ones, because Node would give them sockets, which a
 * tool cannot open again as /dev/stdout or /dev/stderr; and no files, because creating those costs more
 * than the tool if many were removed a moment ago.
 */
export class FifoPool {
  readonly #directory: string;
  readonly #free: string[] = [];
  #made = 0;

  /** @param directory one that does not exist yet; the pool makes it on first use */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes a pipe that no process has open. */
  take(): string {
    if (this.#free.length === 0) this.#grow();
    const fifo = this.#free.pop();
    if (fifo === undefined) throw new Error('mkfifo created no pipes');
    return fifo;
  }

  /** @param fifo one whose end has been read, so that no process writes to it any more */
  giveBack(fifo: string): void {
    this.#free.push(fifo);
  }

  #makeDirectory(): void {
    try {
      makeChosenTemporaryDirectory(this.#directory);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new Error(`its output cannot be read: ${what}`, { cause: error });
    }
  }

  #grow(): void {
    if (this.#made === 0) this.#makeDirectory();
    const more = Math.max(fewest, this.#made);
    const paths = Array.from({ length: more }, (_, index) =>
      path.join(this.#directory, String(this.#made + index)),
    );
    // `command -p` finds mkfifo whatever PATH is.
    execFileSync('/bin/sh', ['-c', 'command -p mkfifo -m 600 "$@"', 'sh', ...paths], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#made += more;
    this.#free.push(...paths);
  }
}
