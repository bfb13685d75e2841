import { StringDecoder } from 'node:string_decoder';
import { noRedactor, type Redactor } from '../secrets/redactor.js';
import type { TextStream } from '../secrets/text-stream.js';

/** Bytes of an output that are kept from its beginning and from its end. */
export interface OutputBounds {
  readonly head: number;
  readonly tail: number;
}

/** Output of a command, of which only the beginning and the end are kept: a model cannot read more. */
export class BoundedOutput {
  readonly #bounds: OutputBounds;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #size = 0;
  readonly #decoder = new StringDecoder('utf8');
  readonly #clean: TextStream | undefined;

  /** @param redactor applied before anything is left out: half a secret could not be recognized */
  constructor(bounds: OutputBounds, redactor: Redactor = noRedactor) {
    this.#bounds = bounds;
    if (redactor !== noRedactor) this.#clean = redactor.stream();
  }

  add(chunk: Buffer): void {
    if (this.#clean === undefined) this.#keep(chunk);
    else this.#keep(Buffer.from(this.#clean.add(this.#decoder.write(chunk))));
  }

  #keep(chunk: Buffer): void {
    this.#size += chunk.length;
    const room = this.#bounds.head - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length > 0) this.#tail = Buffer.concat([this.#tail, rest]).subarray(-this.#bounds.tail);
  }

  /** Complete text, with a line for the omitted part; nothing may be added after it. */
  end(): string {
    if (this.#clean !== undefined) {
      this.#keep(Buffer.from(this.#clean.add(this.#decoder.end()) + this.#clean.end()));
    }
    const missing = this.#size - this.#head.length - this.#tail.length;
    if (missing === 0) return Buffer.concat([this.#head, this.#tail]).toString('utf8');
    const tail = this.#tail.subarray(firstWhole(this.#tail));
    return `${wholeText(this.#head)}\n[… ${missing} bytes left out …]\n${tail.toString('utf8')}`;
  }
}

/** Index of the first byte that begins a character. */
function firstWhole(bytes: Buffer): number {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** Text without an incomplete last character. */
function wholeText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}
