/** Characters of a file that a model receives at once. */
const mostCharacters = 100_000;

/** Part of a text that is wanted, counted from 1. */
export interface WantedPart {
  /** First line. */
  readonly offset: number;
  /** First character of that line. */
  readonly column: number;
  /** Number of lines. */
  readonly limit: number;
}

/** Part of a text that comes in pieces: whole lines up to the limit, or a part of a line that does not. */
export class FileExcerpt {
  readonly #wanted: WantedPart;
  #kept = '';
  #linesKept = 0;
  #isFull = false;
  /** Wanted part of the line under way, and the length of all of it. */
  #line = '';
  #length = 0;
  #lines = 0;
  /** Length of the first wanted line, if it is too long. */
  #cutLine: number | undefined;

  constructor(wanted: WantedPart) {
    this.#wanted = wanted;
  }

  add(piece: string): void {
    for (let start = 0; start < piece.length; ) {
      const newline = piece.indexOf('\n', start);
      const end = newline < 0 ? piece.length : newline + 1;
      this.#take(piece, start, end);
      if (newline >= 0) this.#endLine(1);
      start = end;
    }
  }

  end(): { readonly text: string; readonly problem?: string } {
    if (this.#length > 0) this.#endLine(0);
    const { offset, column } = this.#wanted;
    const lines = this.#lines;
    if (offset > 1 && offset > lines) return { text: '', problem: `has only ${lines} lines` };
    if (this.#cutLine !== undefined) return { text: this.#partOfLine(this.#cutLine) };
    const text = this.#kept;
    const last = offset - 1 + this.#linesKept;
    if (offset === 1 && column === 1 && last >= lines) return { text };
    const more = last < lines ? `; read on with offset ${last + 1}` : '';
    return {
      text: `${text}${text.endsWith('\n') ? '' : '\n'}[lines ${offset} to ${last} of ${lines}${more}]`,
    };
  }

  get #isWanted(): boolean {
    const { offset, limit } = this.#wanted;
    const number = this.#lines + 1;
    return !this.#isFull && number >= offset && number < offset + limit;
  }

  #take(piece: string, start: number, end: number): void {
    if (this.#isWanted) {
      const skipped = this.#lines + 1 === this.#wanted.offset ? this.#wanted.column - 1 : 0;
      const from = start + Math.max(0, skipped - this.#length);
      // One character more than there is room for shows that it is too long.
      const room = mostCharacters + 1 - this.#line.length;
      if (from < end) this.#line += piece.slice(from, Math.min(end, from + room));
    }
    this.#length += end - start;
  }

  /** @param terminator characters that end the line */
  #endLine(terminator: number): void {
    if (this.#isWanted) this.#keep(this.#length - terminator);
    this.#lines += 1;
    this.#line = '';
    this.#length = 0;
  }

  #keep(length: number): void {
    const line = this.#line;
    if (this.#kept.length + line.length <= mostCharacters) {
      this.#kept += line;
      this.#linesKept += 1;
      return;
    }
    this.#isFull = true;
    if (this.#linesKept > 0) return;
    this.#kept = line.slice(0, mostCharacters);
    this.#cutLine = length;
  }

  #partOfLine(length: number): string {
    const { offset, column } = this.#wanted;
    const last = column - 1 + mostCharacters;
    return `${this.#kept}\n[characters ${column} to ${last} of the ${length} in line ${offset} of ${this.#lines}; read on with offset ${offset} and column ${last + 1}]`;
  }
}
