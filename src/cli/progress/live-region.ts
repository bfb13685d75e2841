import { stripStyles } from '../../diagnostic/terminal-text.js';
import { textColumns } from '../../diagnostic/text-columns.js';
import type { OutputStream } from '../io.js';

/** Interval of redrawing; also the longest time that a line waits while many are printed. */
const tickMs = 100;
const usualRows = 24;
const usualColumns = 80;

/** Terminal on which the region is drawn. */
export type TerminalStream = Pick<OutputStream, 'write' | 'columns' | 'rows'>;

export interface LiveRegionOptions {
  /** Lines of the region as they should be now, each narrower than `columns`; at most `rows` of them. */
  lines(size: { readonly columns: number; readonly rows: number }): readonly string[];
  /** False while a person may be typing after a prompt: nothing is drawn then. */
  mayDraw(): boolean;
}

const csi = '\u001b[';
/** Terminals that know it show what is between both at once. */
const [beginUpdate, endUpdate] = [`${csi}?2026h`, `${csi}?2026l`];
const [hideCursor, showCursor] = [`${csi}?25l`, `${csi}?25h`];

/**
 * Region at the end of a terminal's output that changes in place, with printed text above it. The cursor rests at the
 * beginning of the row below the region. Text and region are written together, so that nothing flickers.
 */
export class LiveRegion {
  readonly #stream: TerminalStream;
  readonly #options: LiveRegionOptions;
  /** Lines on the screen, and the columns of the terminal when they were written. */
  #shown: readonly string[] = [];
  #columns = usualColumns;
  /** Text that waits for the next redraw. */
  #queue = '';
  #flushedAt = Number.NEGATIVE_INFINITY;
  #ticking: NodeJS.Timeout | undefined;
  #isCursorHidden = false;

  constructor(stream: TerminalStream, options: LiveRegionOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  /** Redraws from now on, until `stop`. */
  start(): void {
    if (this.#ticking !== undefined) return;
    this.#ticking = setInterval(() => this.#redraw(), tickMs);
    this.#ticking.unref();
  }

  /** Writes whole lines above the region; other text, such as a prompt, in its place. */
  write(text: string): void {
    this.#queue += text;
    const isPrompt = !text.endsWith('\n');
    if (isPrompt || this.#ticking === undefined) return this.#replace([]);
    // The timer shows the rest of many lines.
    if (Date.now() - this.#flushedAt >= tickMs) this.#redraw();
  }

  /** Takes the region away, and leaves the terminal as it was. */
  stop(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#replace([]);
  }

  #redraw(): void {
    const { columns, rows } = this.#size;
    // One row for the cursor; what was printed last stays in sight.
    const room = Math.max(1, Math.min(rows - 1, Math.floor((rows * 2) / 3)));
    this.#replace(this.#options.mayDraw() ? this.#options.lines({ columns, rows: room }) : []);
  }

  get #size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#stream.columns || usualColumns, rows: this.#stream.rows || usualRows };
  }

  #replace(lines: readonly string[]): void {
    const { columns } = this.#size;
    const isInPlace = this.#queue === '' && lines.length === this.#shown.length && columns === this.#columns;
    const change = isInPlace ? this.#changedLines(lines) : this.#allAnew(lines);
    this.#queue = '';
    this.#shown = lines;
    this.#columns = columns;
    this.#flushedAt = Date.now();
    const cursor = this.#cursor(lines.length > 0);
    if (change !== '' || cursor !== '') this.#stream.write(`${beginUpdate}${change}${cursor}${endUpdate}`);
  }

  #cursor(isHidden: boolean): string {
    if (isHidden === this.#isCursorHidden) return '';
    this.#isCursorHidden = isHidden;
    return isHidden ? hideCursor : showCursor;
  }

  #allAnew(lines: readonly string[]): string {
    const erase = this.#shown.length === 0 ? '' : `${csi}${this.#rowsShown()}A\r${csi}J`;
    return `${erase}${this.#queue}${lines.map((line) => `${line}\n`).join('')}`;
  }

  #changedLines(lines: readonly string[]): string {
    const first = lines.findIndex((line, index) => line !== this.#shown[index]);
    if (first === -1) return '';
    const below = lines
      .slice(first)
      .map((line, index) => (line === this.#shown[first + index] ? '\n' : `${line}${csi}K\n`));
    return `${csi}${lines.length - first}A\r${below.join('')}`;
  }

  /** Rows that the lines take now: terminals wrap them when they become narrower. */
  #rowsShown(): number {
    const { columns } = this.#size;
    if (columns >= this.#columns) return this.#shown.length;
    return this.#shown.reduce((sum, line) => {
      return sum + Math.max(1, Math.ceil(textColumns(stripStyles(line)) / columns));
    }, 0);
  }
}
