import { EmbeddedActionsParser, type IToken } from 'chevrotain';
import { TokenList } from './token-list.js';

/**
 * A parser that reads from a list of numbers instead of an array of objects: it takes the place of what the parser library
 * calls its lexer adapter. Some of that is not in the types of the library; its version is fixed.
 */
export abstract class TokenReader extends EmbeddedActionsParser {
  #tokens = NO_TOKENS;
  /** Of the token that was consumed last. */
  #index = BEFORE_FIRST;
  /** The objects made last, for the library asks for the same few again and again. */
  readonly #recent: IToken[] = [];
  readonly #recentIndexes: number[] = Array.from({ length: RECENT }, () => NONE);

  protected get tokens(): TokenList {
    return this.#tokens;
  }

  /** Calls `read` while these tokens are read. */
  protected withTokens(tokens: TokenList, read: () => void): void {
    this.input = [];
    this.#tokens = tokens;
    read();
    // A parser that keeps its input keeps the whole text in memory.
    this.#tokens = NO_TOKENS;
    this.#recent.length = 0;
    this.#recentIndexes.fill(NONE);
  }

  /** The index of the next token. */
  protected get next(): number {
    return this.#index + 1;
  }

  protected skip(count: number): void {
    this.#index += count;
  }

  protected override LA(howMuch: number): IToken {
    return this.#recentToken(this.#index + howMuch);
  }

  protected override LA_FAST(howMuch: number): IToken {
    return this.#recentToken(this.#index + howMuch);
  }

  protected consumeToken(): void {
    this.#index += 1;
  }

  protected exportLexerState(): number {
    return this.#index;
  }

  protected importLexerState(index: number): void {
    this.#index = index;
  }

  protected getLexerPosition(): number {
    return this.#index;
  }

  protected resetLexerState(): void {
    this.#index = BEFORE_FIRST;
  }

  #recentToken(index: number): IToken {
    const slot = index & (RECENT - 1);
    const known = this.#recent[slot];
    if (known !== undefined && this.#recentIndexes[slot] === index) return known;
    const token = this.#tokens.at(index);
    this.#recent[slot] = token;
    this.#recentIndexes[slot] = index;
    return token;
  }
}

/** A power of two. */
const RECENT = 8;
const NONE = -2;
const BEFORE_FIRST = -1;
const NO_TOKENS = new TokenList('');
