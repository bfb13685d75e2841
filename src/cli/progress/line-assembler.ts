/** Characters after which a line that does not end is shown nevertheless, at a blank if there is one. */
const longestLine = 400;

/** Makes whole lines of pieces of any size. */
export class LineAssembler {
  #rest = '';

  /** @returns the lines that are complete with this piece */
  add(piece: string): readonly string[] {
    const lines = `${this.#rest}${piece}`.split('\n');
    this.#rest = lines.pop() ?? '';
    while (this.#rest.length > longestLine) {
      const blank = this.#rest.lastIndexOf(' ', longestLine);
      const end = blank > longestLine / 2 ? blank + 1 : longestLine;
      lines.push(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end);
    }
    return lines;
  }

  /** @returns what is left of a line that never ended */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}
