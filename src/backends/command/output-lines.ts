import { StringDecoder } from 'node:string_decoder';

/** Maximum of bytes of a line: a longer one is cut to its beginning. */
const longestLine = 16 * 1024 * 1024;
const beginningKept = 64 * 1024;

export interface OutputLine {
  readonly text: string;
  /** True if only its beginning is given. */
  readonly isCut: boolean;
}

/** Splits the bytes of a program into lines, and never keeps more than one line of bounded length. */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #longest: number;
  #pieces: string[] = [];
  #size = 0;
  #isCut = false;

  constructor(longest = longestLine) {
    this.#longest = longest;
  }

  /** Lines that a piece of the output completes. */
  add(chunk: Buffer): readonly OutputLine[] {
    return this.#addText(this.#decoder.write(chunk));
  }

  /** Incomplete last line. */
  end(): readonly OutputLine[] {
    const lines = this.#addText(this.#decoder.end());
    return this.#size === 0 ? lines : [...lines, this.#take()];
  }

  #addText(text: string): readonly OutputLine[] {
    const lines: OutputLine[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#append(text.slice(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#append(text.slice(start));
    return lines;
  }

  #append(piece: string): void {
    this.#size += piece.length;
    if (this.#isCut || piece === '') return;
    this.#pieces.push(piece);
    if (this.#size <= this.#longest) return;
    this.#isCut = true;
    this.#pieces = [this.#pieces.join('').slice(0, beginningKept)];
  }

  #take(): OutputLine {
    const text = this.#pieces.join('').replace(/\r$/, '');
    const line = { text, isCut: this.#isCut };
    this.#pieces = [];
    this.#size = 0;
    this.#isCut = false;
    return line;
  }
}
