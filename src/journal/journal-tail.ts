import { closeSync, fstatSync, readSync } from 'node:fs';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { unreadableJournal } from './journal.js';

const chunkSize = 64 * 1024;
const lineFeed = 0x0a;

/**
 * Reads a journal and later appends of any process, without disturbing the writer. An incomplete last line
 * is left for the next read.
 */
export class JournalTail {
  readonly #file: string;
  #position = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Complete lines that were appended since the last read; none if there is no journal. */
  *read(): Generator<string> {
    const descriptor = openIfPresent(this.#file);
    if (descriptor === undefined) return;
    try {
      // An older copy may have been restored: continue with what is appended to it.
      this.#position = Math.min(this.#position, fstatSync(descriptor).size);
      yield* this.#linesOf(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #fill(descriptor: number, chunk: Buffer, offset: number): number {
    try {
      return readSync(descriptor, chunk, 0, chunkSize, offset);
    } catch (error) {
      // The path is a directory, or the disk fails.
      throw unreadableJournal(this.#file, error);
    }
  }

  *#linesOf(descriptor: number): Generator<string> {
    const chunk = Buffer.alloc(chunkSize);
    const parts: Buffer[] = [];
    for (let offset = this.#position; ; ) {
      const bytes = chunk.subarray(0, this.#fill(descriptor, chunk, offset));
      if (bytes.length === 0) return;
      offset += bytes.length;
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        const line = Buffer.concat([...parts.splice(0), bytes.subarray(start, end)]);
        this.#position += line.length + 1;
        start = end + 1;
        yield line.toString('utf8');
      }
      // Copied, because the next chunk reuses the buffer.
      parts.push(Buffer.from(bytes.subarray(start)));
    }
  }
}

function openIfPresent(file: string): number | undefined {
  try {
    return nodeFileSystem.open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadableJournal(file, error);
  }
}
