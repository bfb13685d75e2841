import type { Span } from '../../diagnostic/source.js';

/**
 * Called with the words of each simple command, when it has been read; one within `$(…)` comes before the
 * enclosing one.
 */
export type OnCommand = (words: readonly Span[]) => void;

/** Words that another reserved word may follow. */
const openers: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  '{',
]);

type Open = 'parenthesis' | 'arithmetic' | 'case';

/**
 * Follows the words and parentheses of a shell command, only so far as to know which `)` ends it: within
 * `case … esac` one may just end a pattern.
 */
export class CommandNesting {
  readonly #open: Open[] = [];
  #word = '';
  #isPlain = true;
  #mayBeReserved = true;
  #expectsIn = false;
  #isInIndex = false;
  #calculations = 0;
  readonly #onCommand: OnCommand | undefined;
  #words: Span[] = [];
  #wordStart = 0;
  /** Position of the current character. */
  position = 0;

  constructor(onCommand?: OnCommand) {
    this.#onCommand = onCommand;
  }

  /** True if a `#` begins a comment here. */
  get isAtWordStart(): boolean {
    return this.#word === '';
  }

  /** True within `((…))` or the index of an array, where some shells calculate the value of a variable. */
  get isCalculated(): boolean {
    return this.#isInIndex || this.#calculations > 0;
  }

  add(character: string): void {
    if (character === '[' && !this.#isInIndex) this.#isInIndex = /^[A-Za-z_][A-Za-z0-9_]*$/.test(this.#word);
    else if (character === ']') this.#isInIndex = false;
    this.#begin();
    this.#word += character;
  }

  /** Adds a quoted part to a word, which therefore is not a reserved one. */
  addQuoted(): void {
    this.#begin();
    this.#word += '"';
    this.#isPlain = false;
  }

  #begin(): void {
    if (this.#word === '') this.#wordStart = this.position;
  }

  endWord(by: string): void {
    const word = this.#word;
    if (word === '') return;
    if (this.#onCommand !== undefined) this.#words.push({ start: this.#wordStart, end: this.position });
    const isPlain = this.#isPlain;
    this.#word = '';
    this.#isPlain = true;
    this.#isInIndex = false;
    if (isPlain && this.#expectsIn && word === 'in') {
      this.#expectsIn = false;
      this.#mayBeReserved = true;
      return;
    }
    const isReserved = isPlain && this.#mayBeReserved;
    this.#mayBeReserved = isReserved && openers.has(word);
    if (!isReserved) return;
    if (word === 'case' && /\s/.test(by)) {
      this.#open.push('case');
      this.#expectsIn = true;
    } else if (word === 'esac' && this.#open.at(-1) === 'case') {
      this.#open.pop();
    }
  }

  /** Handles an operator or a line break: a command may begin after it. */
  separate(by: string): void {
    this.endWord(by);
    this.#mayBeReserved = true;
    if (this.#words.length === 0) return;
    this.#onCommand?.(this.#words);
    this.#words = [];
  }

  /** Handles a `(`, or two of them. */
  open(isDouble: boolean): void {
    this.separate('(');
    this.#open.push(isDouble ? 'arithmetic' : 'parenthesis');
    if (isDouble) this.#calculations += 1;
  }

  /**
   * Handles a `)`, perhaps with another one after it.
   * @returns the number of them that belong here; 0 at the end of the command
   */
  close(isDouble: boolean): 0 | 1 | 2 {
    this.separate(')');
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return 0;
    if (innermost === 'case') return 1;
    this.#open.pop();
    if (innermost === 'parenthesis') return 1;
    this.#calculations -= 1;
    if (isDouble) return 2;
    // They were two subshells, one directly in the other.
    this.#open.push('parenthesis');
    return 1;
  }
}
