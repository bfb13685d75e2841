import { StringDecoder } from 'node:string_decoder';

/** Characters kept from the beginning and from the end. */
const headKept = 256 * 1024;
const tailKept = 768 * 1024;

/** Keeps the beginning and the end of a program's output, which may have any length. */
export class KeptText {
  readonly #decoder = new StringDecoder('utf8');
  readonly #headKept: number;
  readonly #tailKept: number;
  #head = '';
  #tail: string[] = [];
  #tailSize = 0;
  #leftOut = 0;

  constructor(head = headKept, tail = tailKept) {
    this.#headKept = head;
    this.#tailKept = tail;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    const room = this.#headKept - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = text.slice(Math.max(0, room));
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    // Shortened only now and then, so that many small pieces cost no more than one large one.
    if (this.#tailSize > 2 * this.#tailKept) this.#shorten();
  }

  get text(): string {
    this.#shorten();
    const gap = this.#leftOut === 0 ? '' : `\n[${this.#leftOut} characters left out]\n`;
    return `${this.#head}${gap}${this.#tail.join('')}`;
  }

  /** Last characters. */
  end(count: number): string {
    this.#shorten();
    return `${this.#head}${this.#tail.join('')}`.slice(-count);
  }

  #shorten(): void {
    const all = this.#tail.join('');
    const kept = all.slice(-this.#tailKept);
    this.#leftOut += all.length - kept.length;
    this.#tail = [kept];
    this.#tailSize = kept.length;
  }
}
