import type { AttributeNode } from '../parser/dot/ast.js';
import { readGap } from './gap.js';
import type { ListItem } from './list.js';
import { type Page, WIDTH } from './page.js';
import { spellKey, spellValue } from './spelling.js';
import { breakLines, isWide } from './string-layout.js';
import { layOutStylesheet } from './stylesheet.js';

/** Whose attribute it is: the pipeline's own, or that of something in it. */
export type Owner = 'pipeline' | 'part';

/** An attribute as a block or a statement prints it. */
export function attributeItem(page: Page, attribute: AttributeNode, owner: Owner): ListItem {
  const { key, value, span } = attribute;
  const name = `${spellKey(key, page.source)}=`;
  const { remarks } = readGap(page.source, key.span.end, value.span.start);
  const place = { start: span.start, end: span.end, remarks };
  const isStylesheet = owner === 'pipeline' && value.kind === 'string' && key.name === 'model_stylesheet';
  const sheet = isStylesheet ? layOutStylesheet(value.text, page.lineEnd) : undefined;
  if (sheet !== undefined) {
    const inline = sheet.inline === undefined ? undefined : name + sheet.inline;
    const fits = (indent: string) => inline !== undefined && indent.length + inline.length < WIDTH;
    return {
      ...place,
      inline,
      alone: (indent) => (fits(indent) && inline ? inline : name + sheet.tall(indent)),
    };
  }
  const written = spellValue(value, page.source);
  return {
    ...place,
    inline: /[\r\n]/.test(written) ? undefined : name + written,
    alone: (indent) => name + spellLong(page, written, indent.length + name.length),
  };
}

/** In a file whose lines end otherwise, `\n` is what keeps a line feed a line feed: it stays. */
function spellLong({ lineEnd }: Page, written: string, column: number): string {
  const canBreak = lineEnd === '\n' && written.includes('\\n');
  // Beside the comma.
  return canBreak && isWide(written, column, WIDTH - 1) ? breakLines(written) : written;
}
