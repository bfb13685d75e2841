import type { Span } from '../../diagnostic/source.js';

/** Simple command of a shell text, or a whole compound one (`if … fi`, `{ … }`), between two operators. */
export interface ShellCommand extends Span {
  /**
   * Words without quotes, assignments before the name, and redirections; of a compound command its first
   * word.
   */
  readonly words: readonly string[];
  /** True after `!`, which inverts its exit code. */
  readonly isNegated: boolean;
  readonly isCompound: boolean;
  /** True if its standard output is redirected. */
  readonly isRedirected: boolean;
  /** Operator after it: `''` at the end of the text. */
  readonly after: ShellOperator;
  /** Compound commands around it. */
  readonly depth: number;
}

export type ShellOperator = '&&' | '||' | '|' | ';' | '&' | '\n' | '';

/**
 * Commands of a text for `sh`, in order, a compound one after its parts. Undefined for a text with a
 * function, a here-document or unmatched brackets, whose structure is not supported.
 */
export function shellCommands(text: string): readonly ShellCommand[] | undefined {
  if (text.length > longest) return undefined;
  return new CommandReader(text).read();
}

/** A list joined by `&&`, `||` and `|`, its commands in order. */
export type ShellStatement = readonly ShellCommand[];

/** Statements outside of all compound commands. */
export function shellStatements(commands: readonly ShellCommand[]): readonly ShellStatement[] {
  const statements: ShellCommand[][] = [];
  let isOpen = false;
  for (const command of commands) {
    if (command.depth > 0) continue;
    if (isOpen) statements.at(-1)?.push(command);
    else statements.push([command]);
    isOpen = ['&&', '||', '|'].includes(command.after);
  }
  return statements;
}

const longest = 20_000;

interface OpenCompound {
  readonly closer: string;
  readonly start: number;
  readonly first: string;
  readonly isNegated: boolean;
}

const closers: ReadonlyMap<string, string> = new Map([
  ['if', 'fi'],
  ['while', 'done'],
  ['until', 'done'],
  ['for', 'done'],
  ['case', 'esac'],
  ['{', '}'],
  ['(', ')'],
]);

/** Reserved words after which a command begins. */
const separators: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'do']);

const token =
  /(?<blank>(?:[ \t]|\\\n)+|#[^\n]*)|(?<redirection>[0-9]*(?:&>>?|>>|>\||[<>]&|<>|[<>])[ \t]*)|(?<operator>&&|\|\||;;|[|;&\n])|(?<bracket>[()])/y;

class CommandReader {
  readonly #text: string;
  readonly #commands: ShellCommand[] = [];
  readonly #open: OpenCompound[] = [];
  #position = 0;
  #words: string[] = [];
  #start = 0;
  #end = 0;
  #isNegated = false;
  #isRedirected = false;
  #isAfterRedirection = false;
  #isBroken = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ShellCommand[] | undefined {
    while (this.#position < this.#text.length && !this.#isBroken) this.#token();
    this.#endCommand('');
    return this.#isBroken || this.#open.length > 0 ? undefined : this.#commands;
  }

  #token(): void {
    token.lastIndex = this.#position;
    const found = this.#isInWord() ? undefined : token.exec(this.#text)?.groups;
    if (found === undefined) return this.#word();
    const { redirection, operator, bracket } = found;
    this.#position = token.lastIndex;
    if (redirection !== undefined) this.#redirect(redirection.trim());
    else if (operator === ';;') this.#endCommand(';');
    else if (operator !== undefined) this.#endCommand(operator as ShellOperator);
    else if (bracket !== undefined) this.#bracket(bracket);
  }

  /** True if a `#` is within a word and so begins no comment. */
  #isInWord(): boolean {
    return this.#text[this.#position] === '#' && /[^\s;&|()]/.test(this.#text[this.#position - 1] ?? ' ');
  }

  #redirect(operator: string): void {
    if (this.#text[this.#position] === '<' || operator.endsWith('<>')) this.#isBroken = true;
    if (/^1?(?:>|&>)/.test(operator) && !operator.endsWith('>&')) this.#isRedirected = true;
    this.#isAfterRedirection = true;
    this.#end = this.#position;
  }

  #bracket(bracket: string): void {
    const top = this.#open.at(-1);
    // A pattern of `case` ends, or begins.
    if (top?.closer === 'esac') {
      this.#words = [];
    } else if (bracket === '(') {
      if (this.#words.length > 0) this.#isBroken = true;
      else this.#openCompound('(', this.#position - 1);
    } else {
      this.#endCommand(';');
      this.#closeCompound(')');
    }
  }

  #word(): void {
    const start = this.#position;
    const end = endOfWord(this.#text, start);
    this.#position = end;
    const written = this.#text.slice(start, end);
    if (this.#isAfterRedirection) {
      this.#isAfterRedirection = false;
      this.#end = end;
      return;
    }
    if (this.#words.length === 0) {
      if (written === '!') {
        this.#isNegated = true;
        return;
      }
      if (separators.has(written)) return;
      if (written === this.#open.at(-1)?.closer) return this.#closeCompound(written);
      if (closers.has(written)) return this.#openCompound(written, start);
      this.#start = start;
    }
    this.#end = end;
    this.#words.push(written);
  }

  #openCompound(first: string, start: number): void {
    const closer = closers.get(first) ?? '';
    this.#open.push({ closer, start, first, isNegated: this.#isNegated });
    this.#isNegated = false;
  }

  #closeCompound(closer: string): void {
    const compound = this.#open.pop();
    if (compound?.closer !== closer) {
      this.#isBroken = true;
      return;
    }
    this.#pending = compound;
    this.#end = this.#position;
  }

  /** Compound command that has been closed, whose redirections may follow. */
  #pending: OpenCompound | undefined;

  #endCommand(after: ShellOperator): void {
    const compound = this.#pending;
    const names = withoutAssignments(this.#words);
    if (compound !== undefined || this.#words.length > 0) {
      this.#commands.push({
        start: compound?.start ?? this.#start,
        end: this.#end,
        words: compound === undefined ? names : [compound.first],
        isNegated: compound?.isNegated ?? this.#isNegated,
        isCompound: compound !== undefined,
        isRedirected: this.#isRedirected,
        after,
        depth: this.#open.length,
      });
    }
    this.#pending = undefined;
    this.#words = [];
    this.#isNegated = false;
    this.#isRedirected = false;
    this.#isAfterRedirection = false;
  }
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

/** Words from the name of the command on; assignments if there is nothing else. */
function withoutAssignments(words: readonly string[]): readonly string[] {
  const name = words.findIndex((word) => !assignment.test(word));
  return (name === -1 ? words : words.slice(name)).map(withoutQuotes);
}

function withoutQuotes(word: string): string {
  return word.replaceAll(/\\([\s\S])|["']/g, '$1');
}

/** End of the word at a position, including its quoted parts and substitutions. */
function endOfWord(text: string, start: number): number {
  let position = start;
  while (position < text.length && !/[\s;&|()<>]/.test(text[position] ?? '')) {
    position = endOfPart(text, position, 0);
  }
  return position > start ? position : start + 1;
}

const mostNested = 50;

/** End of a quoted text, a substitution, an escaped or any other character. */
function endOfPart(text: string, start: number, depth: number): number {
  if (depth > mostNested) return text.length;
  switch (text[start]) {
    case '\\':
      return start + 2;
    case "'":
      return behind(text.indexOf("'", start + 1), text);
    case '"':
      return endOfRegion(text, start + 1, '"', depth);
    case '`':
      return endOfRegion(text, start + 1, '`', depth);
    case '$':
      if (text[start + 1] === '(') return endOfRegion(text, start + 2, ')', depth);
      if (text[start + 1] === '{') return endOfRegion(text, start + 2, '}', depth);
  }
  return start + 1;
}

function endOfRegion(text: string, start: number, closer: string, depth: number): number {
  let position = start;
  while (position < text.length && text[position] !== closer) {
    const character = text[position] ?? '';
    // Within double quotes only these are special.
    if (closer === '"' && !/[\\$`]/.test(character)) position += 1;
    else if (closer === ')' && character === '(') position = endOfRegion(text, position + 1, ')', depth + 1);
    else position = endOfPart(text, position, depth + 1);
  }
  return Math.min(position + 1, text.length);
}

function behind(index: number, text: string): number {
  return index === -1 ? text.length : index + 1;
}
