import { oneColumnEach, textCells } from './text-cells.js';

/** Number of terminal columns of a text of one line. */
export function textColumns(text: string): number {
  // Most texts are, and lines are measured for every stage of a long run.
  if (oneColumnEach.test(text)) return text.length;
  return textCells(text).reduce((sum, { width }) => sum + width, 0);
}

/** The text with as many blanks after it as a column of that width needs; a wider one stays as it is. */
export function padColumns(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textColumns(text)));
}

/** Beginning of the text that fits, with an ellipsis for the rest. */
export function cutColumns(text: string, width: number): string {
  if (textColumns(text) <= width) return text;
  let cut = '';
  let room = width - 1;
  for (const cell of textCells(text)) {
    room -= cell.width;
    if (room < 0) break;
    cut += cell.text;
  }
  return `${cut}…`;
}

/** End of the text that fits, with an ellipsis for the rest. */
export function cutColumnsBefore(text: string, width: number): string {
  if (textColumns(text) <= width) return text;
  let cut = '';
  let room = width - 1;
  for (const cell of textCells(text).toReversed()) {
    room -= cell.width;
    if (room < 0) break;
    cut = cell.text + cut;
  }
  return `…${cut}`;
}

/** Words of a text in lines that fit; a word that is too long has its own line. */
export function wrapColumns(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textColumns(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
