import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { cutColumns, padColumns, textColumns, wrapColumns } from '../../diagnostic/text-columns.js';
import type { Program } from '../../graph/program.js';
import { kindName } from '../output/kind-name.js';

/** Table of stages. Its texts may come from anybody: they are made safe for a terminal here. */
export interface ProgressTable {
  /** Makes room for the nodes of a pipeline; of one that a stage runs, after the path to it. */
  admit(program: Program, path?: readonly string[]): void;
  /** Widths of the columns of ids and kinds now. */
  widths(): { readonly id: number; readonly kind: number };
  /** Row of the table; the remark is on separate lines if the terminal has no room for it after the rest. */
  row(mark: string, id: string, text: string, remark?: string): string;
  /** The line of a stage that has ended. */
  stageRow(mark: string, id: string, kind: string, duration: string, remark?: string): string;
}

const widestId = 28;
/** Room for the number of an item, as in `review#12`. */
const itemColumns = 3;
const narrowestId = 8;
const [narrowestKind, widestKind] = [10, 20];
export const durationWidth = 7;
/** The mark, and the blanks between the columns. */
const gaps = 5;
const remarkIndent = 4;
/** On less, kinds are cut rather than ids. */
export const narrowTerminal = 60;

/** @param columns how wide the terminal is now; 0 if it does not say, undefined if the output is not a terminal */
export function progressTable(chalk: ChalkInstance, columns: () => number | undefined): ProgressTable {
  let widestIdSoFar = 0;
  let widestKindSoFar = narrowestKind;
  const room = (): number => columns() || Number.POSITIVE_INFINITY;
  const kindWidth = (): number => (room() < narrowTerminal ? narrowestKind : widestKindSoFar);
  const idWidth = (): number =>
    Math.min(widestIdSoFar, Math.max(narrowestId, room() - gaps - kindWidth() - durationWidth));

  /** Cell with the whole id if the line has room for it, whatever the width of its column. */
  function idCell(id: string, text: string): string {
    const whole = printable(id);
    const hasRoom = textColumns(whole) + textColumns(text) + gaps <= room();
    return padColumns(hasRoom ? whole : cutColumns(whole, idWidth()), idWidth());
  }

  function row(mark: string, id: string, text: string, remark: string): string {
    const cell = idCell(id, text);
    const line = `${mark} ${cell}  ${chalk.dim(text)}`;
    if (remark === '') return line;
    const shown = printable(remark);
    const used = textColumns(cell) + textColumns(text) + gaps + 1;
    if (used + textColumns(shown) <= room()) return `${line}  ${chalk.dim(shown)}`;
    const wrapped = wrapColumns(shown, room() - remarkIndent);
    return [line, ...wrapped.map((part) => `${' '.repeat(remarkIndent)}${chalk.dim(part)}`)].join('\n');
  }

  const kindCell = (kind: string): string =>
    padColumns(cutColumns(printable(kind), kindWidth()), kindWidth());

  return {
    admit({ nodes }, path = []) {
      const lists = [...nodes.values()].filter(({ parallel }) => parallel?.foreach !== undefined);
      for (const { id, handler } of nodes.values()) {
        const isOfItems = lists.some(({ parallel }) => parallel?.sharedNodes.has(id));
        const idColumns = textColumns(printable([...path, id].join('/'))) + (isOfItems ? itemColumns : 0);
        widestIdSoFar = Math.min(widestId, Math.max(widestIdSoFar, idColumns));
        if (handler.instant) continue;
        const kindColumns = textColumns(printable(kindName(handler.type)));
        widestKindSoFar = Math.min(widestKind, Math.max(widestKindSoFar, kindColumns));
      }
    },
    widths: () => ({ id: idWidth(), kind: kindWidth() }),
    row: (mark, id, text, remark = '') => row(mark, id, printable(text), remark),
    stageRow: (mark, id, kind, duration, remark = '') =>
      row(mark, id, `${kindCell(kind)} ${duration.padStart(durationWidth)}`, remark),
  };
}
