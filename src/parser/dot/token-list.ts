import { EOF, type IToken, type TokenType } from 'chevrotain';
import { UNTERMINATED } from './patterns.js';
import { tokenTypes } from './tokens.js';

/** The number under which a list keeps a type of token; 0 is the end of the text. */
export function kindOf(type: TokenType): number {
  return tokenTypes.indexOf(type) + 1;
}

const END_KIND = 0;

/** By its number, 1 for a type that belongs to a category. */
export function kindsIn({ categoryMatches = [] }: TokenType): Uint8Array {
  return Uint8Array.from(idsByKind, (id) => (categoryMatches.includes(id) ? 1 : 0));
}

/**
 * The tokens of one text, in order, as numbers: a large text has millions, which as objects would take more memory than its
 * tree. An object is made of a token when somebody asks for one.
 */
export class TokenList implements Iterable<IToken> {
  readonly text: string;
  #length = 0;
  /**
   * Of each token its kind, where it starts and where it ends. Before the first and behind the last one there are zeros:
   * whoever looks a little beyond either end finds END_KIND, and never reads outside of the array, which would be slow.
   */
  #numbers: Int32Array;
  #isLastOpen = false;

  constructor(text: string) {
    this.text = text;
    // Memory that is never written to is not taken from the system, so that a high estimate costs nothing.
    this.#numbers = new Int32Array(((text.length >> 3) + 64) * EACH);
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a token, and says where it ends. */
  add(kind: number, start: number, end: number): number {
    const place = (this.#length + 1) * EACH;
    if (place + MARGIN > this.#numbers.length) this.#grow();
    const numbers = this.#numbers;
    numbers[place] = kind;
    numbers[place + 1] = start;
    numbers[place + 2] = end;
    this.#length += 1;
    return end;
  }

  /** Appends a token that runs to the end of the text because it is never closed. */
  addOpen(kind: number, start: number): number {
    this.#isLastOpen = true;
    return this.add(kind, start, this.text.length);
  }

  /** Lets a token run to the end of the text, so that there are none behind it. */
  leaveOpen(index: number): void {
    const kind = this.kindAt(index);
    const start = this.startOf(index);
    this.#numbers.fill(0, (index + 1) * EACH, (this.#length + 1) * EACH);
    this.#length = index;
    this.addOpen(kind, start);
  }

  /** Where there is no such token, the end of the text, as in all that follows. */
  kindAt(index: number): number {
    return this.#numbers[(index + 1) * EACH] ?? END_KIND;
  }

  startOf(index: number): number {
    return this.#numbers[(index + 1) * EACH + 1] ?? this.text.length;
  }

  endOf(index: number): number {
    return this.#numbers[(index + 1) * EACH + 2] ?? this.text.length;
  }

  lengthOf(index: number): number {
    return this.endOf(index) - this.startOf(index);
  }

  /** All objects have the same fields, so that whoever reads them is fast; a text has at most one that is never closed. */
  at(index: number): IToken {
    const kind = this.kindAt(index);
    const startOffset = kind === END_KIND ? this.text.length : this.startOf(index);
    const image = this.text.slice(startOffset, this.endOf(index));
    const tokenType = typesByKind[kind] ?? EOF;
    const token = { image, startOffset, tokenTypeIdx: idsByKind[kind] ?? 0, tokenType };
    return this.#isLastOpen && index === this.#length - 1 ? { ...token, payload: UNTERMINATED } : token;
  }

  *[Symbol.iterator](): Iterator<IToken> {
    for (let index = 0; index < this.#length; index += 1) yield this.at(index);
  }

  #grow(): void {
    const numbers = new Int32Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

const EACH = 3;
const MARGIN = 10 * EACH;
const typesByKind: readonly TokenType[] = [EOF, ...tokenTypes];
/** What the library tells the types by; listed, for to ask a type takes long where the types differ in their fields. */
const idsByKind = Int32Array.from(typesByKind, ({ tokenTypeIdx = 0 }) => tokenTypeIdx);
