import type { ShellQuoting } from './ast.js';
import { CommandNesting, type OnCommand } from './command-nesting.js';
import { extentOfHereDocument, type HereDocument, readHereDocument } from './here-document.js';
import { type OnReference, ReferenceReporter, type ShellPosition } from './reference-reporter.js';

/**
 * Walks over a command as a POSIX shell reads it and reports every reference outside of comments, in the
 * order of the text, with its quoting. Never throws; a construct that shells read in different ways makes
 * the rest `unclear`.
 */
export function scanShell(text: string, found: OnReference, more: ScanOptions = {}): void {
  new ShellScanner(text, found, more).scan();
}

export interface ScanOptions {
  /** Called with the words of each simple command, after the references in them. */
  readonly onCommand?: OnCommand;
  /** Also report `${name.path}` with an unknown namespace. */
  readonly withAnyRoot?: boolean;
}

/**
 * Deeper than any command that a person wrote; the scanner is recursive, so the text must not decide its
 * depth.
 */
const maxDepth = 100;

class ShellScanner {
  readonly #text: string;
  readonly #references: ReferenceReporter;
  readonly #onCommand: OnCommand | undefined;
  #position = 0;
  /** End of the text; within backticks, their end. */
  #end: number;
  #depth = 0;
  /** True if a construct was still open at the end of the text. */
  #isCut = false;

  constructor(text: string, found: OnReference, { onCommand, withAnyRoot = false }: ScanOptions) {
    this.#text = text;
    this.#references = new ReferenceReporter(text, found, withAnyRoot);
    this.#onCommand = onCommand;
    this.#end = text.length;
  }

  scan(): void {
    // A parenthesis that closes nothing is for the shell to complain about.
    while (this.#position < this.#end) this.#command();
  }

  /**
   * Reads up to the `)` that closes the command.
   * @returns true if there is one
   */
  #command(): boolean {
    const nesting = new CommandNesting(this.#onCommand);
    const documents: HereDocument[] = [];
    while (this.#position < this.#end) {
      const character = this.#text[this.#position];
      nesting.position = this.#position;
      if (character === ')') {
        const closed = nesting.close(this.#text[this.#position + 1] === ')');
        this.#position += Math.max(closed, 1);
        if (closed > 0) continue;
        // Shells disagree on where the text of such a here-document begins.
        if (documents.length > 0) this.#references.isUnclear = true;
        return true;
      }
      this.#commandCharacter(character ?? '', nesting, documents);
    }
    nesting.position = this.#end;
    nesting.separate('');
    return false;
  }

  #commandCharacter(character: string, nesting: CommandNesting, documents: HereDocument[]): void {
    switch (character) {
      case '\\':
        if (this.#text[this.#position + 1] !== '\n') nesting.addQuoted();
        this.#position += 2;
        return;
      case "'":
      case '"':
      case '`':
      case '$':
        if (nesting.isCalculated && character !== '$') this.#references.isUnclear = true;
        this.#quotedOrExpanded(character, nesting.isCalculated ? 'arithmetic' : 'unquoted');
        nesting.addQuoted();
        return;
      case '#':
        if (nesting.isAtWordStart) return this.#comment();
        break;
      case '\n':
        nesting.separate(character);
        this.#position += 1;
        for (const document of documents.splice(0)) this.#hereDocument(document);
        return;
      case ';':
      case '&':
      case '|':
        nesting.separate(character);
        this.#position += 1;
        return;
      case '(': {
        const isDouble = this.#text[this.#position + 1] === '(';
        nesting.open(isDouble);
        this.#position += isDouble ? 2 : 1;
        return;
      }
      case ' ':
      case '\t':
      case '>':
        nesting.endWord(character);
        this.#position += 1;
        return;
      case '<':
        nesting.endWord(character);
        return this.#input(documents);
    }
    nesting.add(character);
    this.#position += 1;
  }

  #quotedOrExpanded(character: string, place: ShellQuoting): void {
    switch (character) {
      case "'":
        return this.#singleQuotes();
      case '"':
        return this.#doubleQuotes();
      case '`':
        return this.#backticks();
      case '$':
        return this.#dollar(place);
    }
  }

  #singleQuotes(): void {
    const start = this.#position + 1;
    const close = this.#indexOf("'", start);
    if (close === this.#end) this.#isCut = true;
    this.#references.reportAll(start, close, 'single');
    this.#position = close + 1;
  }

  #doubleQuotes(): void {
    this.#position += 1;
    while (this.#position < this.#end) {
      const character = this.#text[this.#position] ?? '';
      if (character === '"') {
        this.#position += 1;
        return;
      }
      this.#doubleQuotedCharacter(character);
    }
    this.#isCut = true;
  }

  #doubleQuotedCharacter(character: string): void {
    if (character === '\\') this.#position += 2;
    else if (character === '$' || character === '`') this.#quotedOrExpanded(character, 'double');
    else this.#position += 1;
  }

  #comment(): void {
    this.#position = this.#indexOf('\n', this.#position);
  }

  /** Reads dollar signs where the shell expands them. Two of them are the number of its process. */
  #dollar(place: ShellPosition): void {
    const { dollars, reference } = this.#references.read(this.#position, this.#end);
    if (reference !== undefined) this.#references.report(reference, place);
    if (reference?.kind === 'value') {
      this.#position = reference.span.end;
    } else if (reference?.kind === 'escaped') {
      this.#position = reference.span.start + 2;
    } else if (reference !== undefined || dollars % 2 === 1) {
      this.#position += reference === undefined ? dollars - 1 : dollars;
      this.#nested(() => this.#expansion(place));
    } else {
      this.#position += dollars;
    }
  }

  #expansion(place: ShellPosition): void {
    const next = this.#text[this.#position + 1];
    if (next === '(' && this.#text[this.#position + 2] === '(') return this.#arithmetic();
    if (next === '{') return this.#parameter(place);
    if (next === "'" && place === 'unquoted') return this.#ansiString();
    this.#position += next === '(' ? 2 : 1;
    if (next === '(' && !this.#command()) this.#isCut = true;
  }

  /**
   * Reads `$((…))`; if it ends otherwise, it was a subshell in a command substitution, at least to some
   * shells.
   */
  #arithmetic(): void {
    let depth = 0;
    this.#position += 3;
    while (this.#position < this.#end) {
      const character = this.#text[this.#position] ?? '';
      if (character === ')' && depth === 0) {
        const isWhole = this.#text[this.#position + 1] === ')';
        if (!isWhole) this.#references.isUnclear = true;
        this.#position += isWhole ? 2 : 1;
        return;
      }
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      else if (character === "'") this.#references.isUnclear = true;
      if (character === '$' || character === '`') this.#quotedOrExpanded(character, 'arithmetic');
      else this.#position += character === '\\' ? 2 : 1;
    }
    this.#isCut = true;
  }

  /** Reads `${name…}`. A value may be in a default; elsewhere it would be a pattern, or be calculated. */
  #parameter(place: ShellPosition): void {
    parameterStart.lastIndex = this.#position;
    const [start = '${', operator = ''] = parameterStart.exec(this.#text) ?? [];
    const takesValue = /[-=+?]/.test(operator) || (operator !== '' && place === 'unquoted');
    const inner = takesValue ? place : 'parameter_expansion';
    this.#position += start.length;
    while (this.#position < this.#end) {
      const character = this.#text[this.#position] ?? '';
      if (character === '}') {
        this.#position += 1;
        return;
      }
      if (character === '$') this.#dollar(inner);
      else if (character === '`') this.#backticks();
      else if (character !== "'" && character !== '"') this.#position += character === '\\' ? 2 : 1;
      else if (inner === 'unquoted') this.#quotedOrExpanded(character, inner);
      else {
        // The operator and the shell decide if these are quotes.
        this.#references.isUnclear = true;
        this.#position += 1;
      }
    }
    this.#isCut = true;
  }

  /** Reads `$'…'`, which is one string to some shells, and a dollar sign before a string to others. */
  #ansiString(): void {
    const start = this.#position + 2;
    const close = this.#indexOf("'", start);
    this.#references.reportAll(start, close, 'ansi_string');
    if (this.#text[close - 1] === '\\') this.#references.isUnclear = true;
    this.#position = close + 1;
  }

  /**
   * Reads backticks. The shell removes backslashes in them first; without any, their content is read like
   * other text.
   */
  #backticks(): void {
    const start = this.#position + 1;
    let close = start;
    while (close < this.#end && this.#text[close] !== '`') close += this.#text[close] === '\\' ? 2 : 1;
    close = Math.min(close, this.#end);
    if (close === this.#end) this.#isCut = true;
    if (this.#text.slice(start, close).includes('\\')) {
      this.#references.reportAll(start, close, 'backticks');
    } else {
      this.#position = start;
      this.#references.isInBackticks = true;
      this.#within(close, () => {
        while (this.#position < close) this.#nested(() => this.#command());
      });
      this.#references.isInBackticks = false;
    }
    this.#position = close + 1;
  }

  /** Reads `<`, or `<<` with the delimiter of a here-document, whose text begins in the next line. */
  #input(documents: HereDocument[]): void {
    const isDocument = this.#text.startsWith('<<', this.#position);
    const isString = this.#text.startsWith('<<<', this.#position);
    this.#position += isString ? 3 : isDocument ? 2 : 1;
    if (!isDocument || isString) return;
    const document = readHereDocument(this.#text, this.#position);
    // Within backticks it ends where they do.
    const end = Math.min(document.span.end, this.#end);
    this.#references.reportAll(document.span.start, end, 'here_document_delimiter');
    if (document.isUnclear) this.#references.isUnclear = true;
    this.#position = end;
    documents.push(document);
  }

  #hereDocument(document: HereDocument): void {
    const start = this.#position;
    const rest = { start, end: this.#end };
    const { bodyEnd, next } = extentOfHereDocument(this.#text, rest, document);
    if (document.isQuoted) {
      this.#references.reportAll(start, bodyEnd, 'quoted_here_document');
    } else {
      this.#within(bodyEnd, () => {
        while (this.#position < bodyEnd) this.#doubleQuotedCharacter(this.#text[this.#position] ?? '');
      });
      // Some shells look for the delimiter first, others read a substitution to its end.
      if (this.#isCut) this.#references.isUnclear = true;
      this.#isCut = false;
    }
    this.#position = next;
  }

  /** Scans a part of the text as if it ended there. */
  #within(end: number, scan: () => void): void {
    const outer = this.#end;
    this.#end = end;
    scan();
    this.#end = outer;
  }

  #nested(scan: () => void): void {
    if (this.#depth >= maxDepth) {
      this.#references.isUnclear = true;
      this.#position += 1;
      return;
    }
    this.#depth += 1;
    scan();
    this.#depth -= 1;
  }

  #indexOf(searched: string, start: number): number {
    const found = this.#text.indexOf(searched, start);
    return found === -1 || found > this.#end ? this.#end : found;
  }
}

const parameterStart = /\$\{(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(:?[-=+?]|%%?|##?)?/y;
