import { fstatSync, statSync, writeSync } from 'node:fs';
import type { OutputStream } from './io.js';

/**
 * Standard output or standard error of this process. Node's stream loads 20 modules of Node, which takes a tenth of the time of
 * a short command, so that a file and the beginning of a pipe are written without it; it is opened for all else.
 * @param open returns Node's stream
 */
export function standardOutput(
  descriptor: number,
  open: () => OutputStream,
  platform: NodeJS.Platform,
): OutputStream {
  const output = new StandardOutput(descriptor, open, platform);
  // Not the object itself: streams that filter inherit from this one.
  return {
    get isTTY() {
      return output.terminal?.isTTY;
    },
    get columns() {
      return output.terminal?.columns;
    },
    get rows() {
      return output.terminal?.rows;
    },
    on: (_event, listener) => output.onError(listener),
    write: (text, onWritten) => output.write(text, onWritten),
  };
}

type ErrorListener = (error: Error) => void;

class StandardOutput {
  readonly #descriptor: number;
  readonly #open: () => OutputStream;
  readonly #listeners: ErrorListener[] = [];
  #stream: OutputStream | undefined;
  /** Bytes that may still be written without the stream. */
  #room: number;
  #hasFailed = false;

  constructor(descriptor: number, open: () => OutputStream, platform: NodeJS.Platform) {
    this.#descriptor = descriptor;
    this.#open = open;
    this.#room = roomOf(descriptor, platform);
  }

  /** Stream that knows the terminal; undefined if there has been no need for it. */
  get terminal(): OutputStream | undefined {
    return this.#room > 0 ? this.#stream : this.#opened();
  }

  onError(listener: ErrorListener): void {
    this.#listeners.push(listener);
    this.#stream?.on?.('error', listener);
  }

  write(text: string | Uint8Array, onWritten?: () => void): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (bytes.length > this.#room) this.#room = 0;
    const rest = this.#room === 0 ? bytes : this.#writeDirectly(bytes);
    if (this.#room === 0) this.#opened().write(rest, onWritten);
    else if (onWritten !== undefined) process.nextTick(onWritten);
  }

  #opened(): OutputStream {
    if (this.#stream === undefined) {
      this.#stream = this.#open();
      for (const listener of this.#listeners) this.#stream.on?.('error', listener);
    }
    return this.#stream;
  }

  /**
   * Writes nothing after a failure, like a stream of Node.
   * @returns what is left for the stream, if a pipe is full
   */
  #writeDirectly(bytes: Uint8Array): Uint8Array {
    let at = 0;
    try {
      while (at < bytes.length && !this.#hasFailed) at += writeSync(this.#descriptor, bytes, at);
      this.#room -= bytes.length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#room = 0;
      else this.#fail(error as Error);
    }
    return bytes.subarray(at);
  }

  #fail(error: Error): void {
    this.#hasFailed = true;
    process.nextTick(() => {
      for (const listener of this.#listeners) listener(error);
    });
  }
}

/** Bytes that a pipe takes in one piece. Its reader may be slow: more would keep all else waiting. */
const pipeRoom = 4096;

/**
 * Bytes that may be written without Node's stream, which writes a file in the same way. For a terminal it is 0: it has colours and a
 * width.
 */
function roomOf(descriptor: number, platform: NodeJS.Platform): number {
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() || (found.isCharacterDevice() && found.rdev === nullDevice()))
      return Number.POSITIVE_INFINITY;
    return platform !== 'win32' && (found.isFIFO() || found.isSocket()) ? pipeRoom : 0;
  } catch {
    return 0;
  }
}

function nullDevice(): number | undefined {
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}
