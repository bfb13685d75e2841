import type { RefusedPosition, ShellQuoting } from './ast.js';
import { type DollarRun, type Reference, readDollars } from './reference.js';

/** Shell syntax at the position of a reference. */
export type ShellPosition = ShellQuoting | RefusedPosition;

export type OnReference = (reference: Reference, place: ShellPosition) => void;

/** Finds references for the scanner of shell commands, and reports them. */
export class ReferenceReporter {
  readonly #text: string;
  readonly #found: OnReference;
  readonly #withAnyRoot: boolean;
  #nextDollar = -1;
  /** True if shells disagree on how the rest is quoted. */
  isUnclear = false;
  isInBackticks = false;

  /** @param withAnyRoot true to report also `${name.path}` with an unknown namespace */
  constructor(text: string, found: OnReference, withAnyRoot: boolean) {
    this.#text = text;
    this.#found = found;
    this.#withAnyRoot = withAnyRoot;
  }

  report(reference: Reference, place: ShellPosition): void {
    if (this.isUnclear) this.#found(reference, 'unclear');
    else if (this.isInBackticks && reference.kind === 'escaped') this.#found(reference, 'backticks');
    else this.#found(reference, place);
  }

  /** Reports the references in a stretch of text in which the shell expands nothing. */
  reportAll(start: number, end: number, place: ShellPosition): void {
    for (let at = this.#dollarAfter(start); at < end; ) {
      const { reference, dollars } = this.read(at, end);
      if (reference !== undefined) this.report(reference, place);
      at = this.#dollarAfter(reference === undefined ? at + dollars : reference.span.start + 2);
    }
  }

  /** Reads the dollar signs at an offset; a reference must close its brace before `end`. */
  read(offset: number, end: number): DollarRun {
    const run = readDollars(this.#text, offset, this.#withAnyRoot);
    if (run.end <= end) return run;
    const dollars = /^\$*/.exec(this.#text.slice(offset, end))?.[0].length ?? 0;
    return { dollars, reference: undefined, end: offset + dollars };
  }

  /** Index of the next dollar sign; searched once, however many stretches have none. */
  #dollarAfter(start: number): number {
    if (this.#nextDollar < start) {
      const found = this.#text.indexOf('$', start);
      this.#nextDollar = found === -1 ? this.#text.length : found;
    }
    return this.#nextDollar;
  }
}
