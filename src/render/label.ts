import type { Color } from 'ts-graphviz';
import { htmlText, quotable } from './text.js';

/** Font family whose character widths Graphviz knows; for a list of families it would measure Times. */
export const textFamily = 'Helvetica';

/** Lines of a label that look alike. Sizes are in points. */
export interface TextBlock {
  readonly lines: readonly string[];
  /** Colour, if it differs from the element's own. */
  readonly color?: Color;
  readonly size?: number;
  readonly face?: 'Courier';
  readonly bold?: boolean;
}

interface LabelLayout {
  readonly align?: 'left';
  /** Space between the blocks and around them, in points. */
  readonly spacing?: number;
}

/**
 * Blocks below one another as a label of Graphviz: plain text for a single block without a style, which
 * viewers centre by themselves, else an HTML-like label, the only kind that can mix fonts. There each block
 * is a row of a table, because Graphviz sets lines of several sizes in one text too close. Blocks without
 * lines are left out.
 */
export function labelOf(blocks: readonly TextBlock[], { align, spacing = 0 }: LabelLayout = {}): string {
  const nonEmpty = blocks.filter(({ lines }) => lines.length > 0);
  const [only, ...others] = nonEmpty;
  if (only === undefined) return '';
  if (others.length === 0 && isPlain(only) && align === undefined && spacing === 0) {
    return quotable(only.lines.join('\n'));
  }
  const cell = align === 'left' ? '<TD ALIGN="LEFT" BALIGN="LEFT">' : '<TD>';
  const rows = nonEmpty.map((block) => `<TR>${cell}${blockMarkup(block)}</TD></TR>`).join('');
  return `<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="${spacing}">${rows}</TABLE>>`;
}

function isPlain({ color, size, face, bold }: TextBlock): boolean {
  return color === undefined && size === undefined && face === undefined && !bold;
}

function blockMarkup({ lines, color, size, face, bold }: TextBlock): string {
  const font = [
    ...(color === undefined ? [] : [`COLOR="${color}"`]),
    ...(size === undefined ? [] : [`POINT-SIZE="${size}"`]),
    ...(face === undefined ? [] : [`FACE="${face}"`]),
  ].join(' ');
  const text = lines.map((line) => (line === '' ? '&#160;' : htmlText(line))).join('<BR/>');
  const weighted = bold ? `<B>${text}</B>` : text;
  return font === '' ? weighted : `<FONT ${font}>${weighted}</FONT>`;
}
