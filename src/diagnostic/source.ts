/** A half-open range of UTF-16 offsets into a source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Position as people count: both numbers start at 1; a column counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Named text with a line index. `name` is used in messages: a path as the user gave it, or `<stdin>`. */
export class SourceText {
  readonly name: string;
  readonly text: string;
  #lineStarts: readonly number[] | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  /** The position of an offset; offsets outside the text are clamped to it. */
  positionAt(offset: number): Position {
    const lineStarts = this.#lines();
    const clamped = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lineStarts[middle] ?? 0) <= clamped) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: clamped - (lineStarts[low] ?? 0) + 1 };
  }

  get lineCount(): number {
    return this.#lines().length;
  }

  /** Text of a line (numbered from 1) without its line break. */
  lineText(line: number): string {
    const lineStarts = this.#lines();
    const start = lineStarts[line - 1];
    if (start === undefined) return '';
    const end = lineStarts[line] ?? this.text.length + 1;
    return this.text.slice(start, end - 1).replace(/\r$/, '');
  }

  #lines(): readonly number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    const lineStarts = [0];
    for (let index = this.text.indexOf('\n'); index !== -1; index = this.text.indexOf('\n', index + 1)) {
      lineStarts.push(index + 1);
    }
    this.#lineStarts = lineStarts;
    return lineStarts;
  }
}
