import type { AttributeNode } from '../parser/dot/ast.js';
import { type Page, WIDTH } from './page.js';
import { spellKey, spellValue } from './spelling.js';
import { breakLines, isWide } from './string-layout.js';
import { layOutStylesheet, type StylesheetText } from './stylesheet.js';

/** Whose attribute it is: the pipeline's own, or that of something in it. */
export type Owner = 'pipeline' | 'part';

/** An attribute besides others; undefined where it needs lines of its own, or more than so many columns. */
export function spellInline(
  page: Page,
  attribute: AttributeNode,
  owner: Owner,
  room: number,
): string | undefined {
  const { key, value } = attribute;
  const name = `${spellKey(key, page.source)}=`;
  const sheet = stylesheetOf(page, attribute, owner);
  if (sheet !== undefined) return sheet.inline === undefined ? undefined : name + sheet.inline;
  // A look at the length spares the look at a long text.
  if (value.span.end - value.span.start > room) return undefined;
  const written = spellValue(value, page.source);
  return /[\r\n]/.test(written) ? undefined : name + written;
}

/** An attribute in lines of its own. */
export function spellAlone(page: Page, attribute: AttributeNode, owner: Owner, indent: string): string {
  const name = `${spellKey(attribute.key, page.source)}=`;
  const column = indent.length + name.length;
  const sheet = stylesheetOf(page, attribute, owner);
  if (sheet === undefined) return name + spellLong(page, spellValue(attribute.value, page.source), column);
  const fits = sheet.inline !== undefined && column + sheet.inline.length <= ROOM;
  return name + (fits && sheet.inline !== undefined ? sheet.inline : sheet.tall(indent));
}

/** Next to the comma. */
const ROOM = WIDTH - 1;

function stylesheetOf(
  { lineEnd }: Page,
  { key, value }: AttributeNode,
  owner: Owner,
): StylesheetText | undefined {
  const isStylesheet = owner === 'pipeline' && value.kind === 'string' && key.name === 'model_stylesheet';
  return isStylesheet ? layOutStylesheet(value.text, lineEnd) : undefined;
}

/** In a file whose lines end otherwise, `\n` is what keeps a line feed a line feed: it stays. */
function spellLong({ lineEnd }: Page, written: string, column: number): string {
  const canBreak = lineEnd === '\n' && column + written.length > ROOM && written.includes('\\n');
  return canBreak && isWide(written, column, ROOM) ? breakLines(written) : written;
}
