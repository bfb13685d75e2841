import { type Cell, textCells } from './text-cells.js';

/** Line of source as it is shown, and the columns of the marks below it. */
export interface FrameLine {
  readonly text: string;
  readonly markStart: number;
  readonly markWidth: number;
}

const ellipsis: Cell = { text: '…', width: 1, units: 0 };
/** Share of the width for the text before the marks, if the line has to be cut. */
const leadingShare = 0.3;

/**
 * One line of a code frame, with marks below `from` to `to` (offsets into `text`; what lies on later lines is left out).
 * A line that is wider than `width` is cut to a window around the marks, and no more than the window is ever read.
 */
export function frameLine(text: string, from: number, to: number, width: number): FrameLine {
  const reach = width * 4;
  const before = text.slice(Math.max(0, from - reach), from);
  const after = text.slice(from, from + reach);
  const head = lastLineOf(before);
  const tail = firstLineOf(after);
  const headCells = textCells(head);
  const tailCells = textCells(tail);
  const markedCells = cellsCovering(tailCells, to - from);
  const markedWidth = widthOf(tailCells.slice(0, markedCells));

  const shownHead = fitHead(headCells, head === before && from > reach, markedWidth, width);
  const shownTail = fitTail(
    tailCells,
    tail === after && text.length > from + reach,
    width - widthOf(shownHead),
  );
  return {
    text: [...shownHead, ...shownTail].map((cell) => cell.text).join(''),
    markStart: widthOf(shownHead),
    markWidth: Math.max(1, widthOf(shownTail.slice(0, markedCells))),
  };
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

function firstLineOf(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end).replace(/\r$/, '');
}

function cellsCovering(cells: readonly Cell[], units: number): number {
  let covered = 0;
  let count = 0;
  while (covered < units && count < cells.length) {
    covered += cells[count]?.units ?? 0;
    count += 1;
  }
  return count;
}

/** Text before the marks, if the marks still fit after it, else the end of that text. */
function fitHead(
  cells: readonly Cell[],
  isCut: boolean,
  markedWidth: number,
  width: number,
): readonly Cell[] {
  const kept = Math.floor(width * leadingShare);
  const headWidth = widthOf(cells);
  const fits = headWidth <= kept || headWidth + Math.max(1, markedWidth) < width;
  if (fits && !isCut) return cells;
  return [ellipsis, ...firstCells(cells.toReversed(), kept - 1).toReversed()];
}

function fitTail(cells: readonly Cell[], isCut: boolean, width: number): readonly Cell[] {
  if (!isCut && widthOf(cells) <= width) return cells;
  return [...firstCells(cells, width - 1), ellipsis];
}

function firstCells(cells: readonly Cell[], width: number): readonly Cell[] {
  let used = 0;
  const end = cells.findIndex((cell) => {
    used += cell.width;
    return used > width;
  });
  return end === -1 ? cells : cells.slice(0, end);
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}
