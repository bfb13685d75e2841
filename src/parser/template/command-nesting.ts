import type { Span } from '../../diagnostic/source.js';

/** Is told the words of each simple command, when it has been read; one within `$(…)` comes before the one around it. */
export type OnCommand = (words: readonly Span[]) => void;

/** After these words another reserved word may stand. */
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
 * Follows the words and parentheses of a shell command, as far as it takes to know which `)` ends it: within
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
  /** Where the character stands that is looked at. */
  position = 0;

  constructor(onCommand?: OnCommand) {
    this.#onCommand = onCommand;
  }

  /** Where a `#` begins a comment. */
  get isAtWordStart(): boolean {
    return this.#word === '';
  }

  /** Within `((…))` or the index of an array, where some shells calculate what a variable holds. */
  get isCalculated(): boolean {
    return this.#isInIndex || this.#calculations > 0;
  }

  add(character: string): void {
    if (character === '[' && !this.#isInIndex) this.#isInIndex = /^[A-Za-z_][A-Za-z0-9_]*$/.test(this.#word);
    else if (character === ']') this.#isInIndex = false;
    this.#begin();
    this.#word += character;
  }

  /** A part of a word that keeps it from being a reserved one. */
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

  /** An operator or a line break: a command may begin after it. */
  separate(by: string): void {
    this.endWord(by);
    this.#mayBeReserved = true;
    if (this.#words.length === 0) return;
    this.#onCommand?.(this.#words);
    this.#words = [];
  }

  /** A `(`, or two of them. */
  open(isDouble: boolean): void {
    this.separate('(');
    this.#open.push(isDouble ? 'arithmetic' : 'parenthesis');
    if (isDouble) this.#calculations += 1;
  }

  /**
   * A `)`, perhaps with another one after it.
   * @returns how many of them belong here; 0 where the command ends
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
