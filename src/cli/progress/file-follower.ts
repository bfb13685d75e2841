import { StringDecoder } from 'node:string_decoder';
import { LineAssembler } from './line-assembler.js';
import { readPart } from './output-files.js';

/** Bytes that are read at once, and most that are read of a file at the end of its stage. */
const pieceBytes = 64 * 1024;
const mostAtEnd = 16 * 1024 * 1024;

/** A file system may note a time a little earlier than the clock. */
const clockSlackMs = 50;

/** Reads the lines that a command appends to a file. */
export class FileFollower {
  readonly #file: string;
  readonly #since: number;
  #offset = 0;
  #inode: number | undefined;
  #decoder = new StringDecoder('utf8');
  #lines = new LineAssembler();

  /** @param since start of the attempt, in milliseconds since 1970: what was written before is another's */
  constructor(file: string, since: number) {
    this.#file = file;
    this.#since = since - clockSlackMs;
  }

  /** @returns the lines of one more piece; undefined if there is nothing new */
  read(): readonly string[] | undefined {
    const part = readPart(this.#file, this.#offset, pieceBytes);
    if (part === undefined || part.changedAt < this.#since) return undefined;
    const isReplaced = this.#inode !== undefined && (part.inode !== this.#inode || part.size < this.#offset);
    if (isReplaced) {
      this.#restart();
      return this.read();
    }
    const { data } = part;
    this.#inode = part.inode;
    this.#offset += data.length;
    return data.length === 0 ? undefined : this.#lines.add(this.#decoder.write(data));
  }

  /** @returns the lines that are left, but the beginning of very many */
  readToEnd(): readonly string[] {
    const lines: string[] = [];
    const { size = 0 } = readPart(this.#file, 0, 0) ?? {};
    const skipped = size - this.#offset - mostAtEnd;
    if (skipped > 0) {
      lines.push(...this.#lines.end(), `… ${skipped} bytes are only in ${this.#file}`);
      this.#offset += skipped;
      this.#decoder = new StringDecoder('utf8');
    }
    for (let more = this.read(); more !== undefined; more = this.read())
      for (const line of more) lines.push(line);
    return [...lines, ...this.#lines.add(this.#decoder.end()), ...this.#lines.end()];
  }

  #restart(): void {
    this.#offset = 0;
    this.#inode = undefined;
    this.#decoder = new StringDecoder('utf8');
    this.#lines = new LineAssembler();
  }
}
