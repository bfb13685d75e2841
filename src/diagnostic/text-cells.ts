import { printable } from './printable.js';

/** Character as a reader sees it, with its width on a terminal. */
export interface Cell {
  readonly text: string;
  /** Terminal columns: 0, 1, 2, or those of a tab. */
  readonly width: number;
  /** Number of UTF-16 units of the text that it covers. */
  readonly units: number;
}

const tab = '    ';
/** Text of which each character takes one column. */
export const oneColumnEach = /^[\x20-\x7e]*$/;
/** Created on first use: loading its data about scripts takes as long as Node's own start. */
let graphemes: Intl.Segmenter | undefined;

/** Splits a line of text into terminal cells: wide characters count double, a tab is four blanks. */
export function textCells(text: string): readonly Cell[] {
  if (oneColumnEach.test(text))
    return [...text].map((character) => ({ text: character, width: 1, units: 1 }));
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...graphemes.segment(text)].map(({ segment }) => cellOf(segment));
}

function cellOf(grapheme: string): Cell {
  const units = grapheme.length;
  // Here and not above: these classes of characters take as long to build as a small file to check.
  const wide =
    /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\ufe0f/u;
  const invisible = /^[\p{Mark}\u200b-\u200d\ufeff]+$/u;
  if (grapheme === '\t') return { text: tab, width: tab.length, units };
  if (invisible.test(grapheme)) return { text: grapheme, width: 0, units };
  return { text: printable(grapheme), width: wide.test(grapheme) ? 2 : 1, units };
}
