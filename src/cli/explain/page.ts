import type { ChalkInstance } from 'chalk';
import { textColumns, wrapColumns } from '../../diagnostic/text-columns.js';

/** A text for a person, in parts with an empty line between them. */
export class TopicPage {
  readonly #chalk: ChalkInstance;
  readonly #width: number;
  readonly #parts: string[] = [];
  #heading = '';

  /** @param width of the terminal, in columns */
  constructor(chalk: ChalkInstance, width: number) {
    this.#chalk = chalk;
    this.#width = Math.max(narrowest, Math.min(width, widest));
  }

  /** Writes the subject of the page, and its kind. */
  title(name: string, kind: string): void {
    this.#add(`${this.#chalk.bold(name)} ${this.#chalk.dim(`· ${kind}`)}`);
  }

  /** Stands directly above the part that follows. */
  heading(text: string): void {
    this.#heading = `${this.#chalk.bold(text)}\n`;
  }

  /** Words in lines that fit; what stands between backquotes is coloured. */
  paragraph(text: string): void {
    this.#add(this.#wrapped(text, this.#width).join('\n'));
  }

  /** Names with their descriptions, in two columns. */
  list(entries: readonly (readonly [name: string, text: string])[]): void {
    const indentation = Math.min(
      mostIndentation,
      Math.max(...entries.map(([name]) => textColumns(name))) + 4,
    );
    const lines = entries.flatMap(([name, text]) => {
      const wrapped = this.#wrapped(text, this.#width - indentation);
      const fits = textColumns(name) + 4 <= indentation;
      const first = `  ${this.#chalk.cyan(name)}`;
      const pad = ' '.repeat(Math.max(0, indentation - 2 - textColumns(name)));
      const rest = (fits ? wrapped.slice(1) : wrapped).map((line) => ' '.repeat(indentation) + line);
      return [fits ? first + pad + (wrapped[0] ?? '') : first, ...rest];
    });
    this.#add(lines.join('\n'));
  }

  /** Lines as they are, set in; of a long text the first ones. */
  verbatim(text: string): void {
    const lines = text.trimEnd().split('\n');
    this.#add(lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n'));
  }

  #add(part: string): void {
    this.#parts.push(this.#heading + part);
    this.#heading = '';
  }

  toString(): string {
    return `${this.#parts.join('\n\n')}\n`;
  }

  #wrapped(text: string, width: number): readonly string[] {
    let isCode = false;
    // Code is not broken between its words.
    const joined = text.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(' ', '\u00a0'));
    return wrapColumns(joined, width).map((wrapped) => {
      const line = wrapped.replaceAll('\u00a0', ' ');
      const pieces = line.split('`').map((piece, index) => {
        if (index > 0) isCode = !isCode;
        return isCode && piece !== '' ? this.#chalk.cyan(piece) : piece;
      });
      // Without colours the backquotes distinguish code from words.
      return this.#chalk.level === 0 ? line : pieces.join('');
    });
  }
}

const narrowest = 40;
/** Longer lines are hard to read. */
const widest = 96;
const mostIndentation = 24;
