import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import type { FifoPool } from './fifo-pool.js';
import type { ByteStream, Hiding } from './hiding.js';

/** Buffer for all outputs: no more of them is ever in memory. */
const buffer = Buffer.allocUnsafe(64 * 1024);

/** Flags for a new file: the tool may have created a link in its place, or a pipe without a reader. */
const logFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Values shared by the outputs of all tools. */
export interface OutputResources {
  readonly fifos: FifoPool;
  /** Removes secrets from the file; none if undefined. */
  readonly hiding: Hiding | undefined;
}

/**
 * One output of one tool: a pipe, and the file for its content. A tool that prints nothing leaves no file,
 * and a short one is read only once; later output is written to the file at once.
 */
export class ToolOutput {
  /** Descriptor for the tool; closed here as soon as the tool has it. */
  readonly writer: number;
  readonly #fifos: FifoPool;
  readonly #hiding: ByteStream | undefined;
  readonly #fifo: string;
  readonly #reader: number;
  readonly #file: string;
  #stream: Socket | undefined;
  #log: number | undefined;
  #size = 0;
  #isRead = false;
  #toolEnded = false;
  #isDiscarded = false;
  #problem: string | undefined;

  constructor({ fifos, hiding }: OutputResources, file: string) {
    // The file of an earlier attempt.
    removeIfThere(file);
    this.#file = file;
    this.#fifos = fifos;
    this.#hiding = hiding?.();
    this.#fifo = fifos.take();
    this.#reader = openSync(this.#fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      this.writer = openSync(this.#fifo, constants.O_WRONLY);
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Name of a file that is incomplete, with the reason. */
  get problem(): string | undefined {
    return this.#problem;
  }

  closeWriter(): void {
    closeSync(this.writer);
  }

  /** From now on, writes output as it comes. */
  follow(): void {
    if (this.#isRead || this.#stream !== undefined) return;
    const stream = new Socket({ fd: this.#reader, readable: true, writable: false });
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#keep(chunk));
    stream.once('end', () => this.#endReached());
    stream.once('error', (error) => this.#giveUp(error));
  }

  /**
   * Writes the output of a tool that has ended. Processes that it left behind may print more: that goes
   * into the file too, as long as the file is still this tool's.
   */
  settle(): void {
    this.#drain();
    // A caller that waits for the tool reads all of its output.
    this.#writeHeld();
    this.#toolEnded = true;
    this.follow();
  }

  #drain(): void {
    while (!this.#isRead) {
      const count = this.#read();
      if (count === undefined) return;
      if (count === 0) this.#endReached();
      else this.#keep(buffer.subarray(0, count));
    }
  }

  /** Number of bytes read; undefined if there is nothing to read for the moment. */
  #read(): number | undefined {
    try {
      return readSync(this.#reader, buffer);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      this.#giveUp(error);
      return undefined;
    }
  }

  #keep(chunk: Buffer): void {
    this.#write(this.#hiding === undefined ? chunk : this.#hiding.add(chunk));
  }

  /** Writes the text that was held back as a possible beginning of a secret. */
  #writeHeld(): void {
    if (this.#hiding !== undefined) this.#write(this.#hiding.end());
  }

  #write(chunk: Buffer): void {
    if (this.#isRead || this.#isDiscarded || chunk.length === 0) return;
    try {
      this.#log ??= this.#openLog();
      writeFileSync(this.#log, chunk);
      this.#size += chunk.length;
    } catch (error) {
      // The processes left behind must not be disturbed by it.
      if (this.#toolEnded) this.#isDiscarded = true;
      else this.#giveUp(error);
    }
  }

  #openLog(): number {
    // Another attempt may have begun a file of this name since the tool ended.
    if (this.#toolEnded) return openSync(this.#file, logFlags);
    const open = (): number => {
      refuseLink(path.dirname(this.#file));
      removeIfThere(this.#file);
      return openSync(this.#file, logFlags);
    };
    try {
      return open();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The tool has removed its own directory.
      mkdirSync(path.dirname(this.#file));
      return open();
    }
  }

  #endReached(): void {
    if (this.#isRead) return;
    this.#writeHeld();
    // A failed write has closed it.
    if (this.#isRead) return;
    this.#close();
    this.#fifos.giveBack(this.#fifo);
  }

  /** Closes the reader, which the tool notices when it writes; so this pipe is not used again. */
  #giveUp(error: unknown): void {
    if (this.#isRead) return;
    this.#fail(error);
    this.#close();
  }

  #fail(error: unknown): void {
    this.#problem ??= `${this.#file}: ${error instanceof Error ? error.message : String(error)}`;
  }

  #close(): void {
    this.#isRead = true;
    if (this.#stream === undefined) closeSync(this.#reader);
    else this.#stream.destroy();
    try {
      if (this.#log !== undefined) closeSync(this.#log);
    } catch (error) {
      // Some file systems report only now that there was no room.
      this.#fail(error);
    }
  }
}

function removeIfThere(file: string): void {
  // Nearly always there is none, and an exception takes longer than a look.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Refuses a link in the place of the directory, because the tool may have created it to lead elsewhere. */
function refuseLink(directory: string): void {
  if (lstatSync(directory).isDirectory()) return;
  throw new Error(`${directory} is a link or a file, not the directory of the stage`);
}
