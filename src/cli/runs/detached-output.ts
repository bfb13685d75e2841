import type { Io } from '../io.js';

/** Run that a process of its own executes. */
export interface DetachedStart {
  readonly run_id: string;
  readonly run_dir: string;
}

/** Output of a process in the background: nobody reads it once the run has begun. */
export class DetachedOutput {
  readonly io: Io;
  #hasBegun = false;

  constructor(io: Io) {
    const quiet = (stream: Io['stdout']): Io['stdout'] => ({
      write: (text, onWritten) => (this.#hasBegun ? onWritten?.() : stream.write(text, onWritten)),
      on: (event, listener) => stream.on?.(event, listener),
    });
    this.io = {
      stdin: io.stdin,
      stdout: quiet(io.stdout),
      stderr: quiet(io.stderr),
      env: io.env,
      cwd: () => io.cwd(),
      on: (event, listener) => io.on(event, listener),
      off: (event, listener) => io.off(event, listener),
    };
  }

  /** Tells the process that has made the call. */
  began(start: DetachedStart): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    process.send?.(start);
    if (process.connected) process.disconnect();
  }
}
