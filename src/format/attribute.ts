import type { AttributeNode } from '../parser/dot/ast.js';
import { type Page, WIDTH } from './page.js';
import { spellKey, spellValue } from './spelling.js';
import { breakLines, isWide } from './string-layout.js';
import { layOutStylesheet, type StylesheetText } from './stylesheet.js';

/** Owner of an attribute: the pipeline itself, or a part of it. */
export type Owner = 'pipeline' | 'part';

/** Attribute in a line with others; undefined if it needs separate lines, or more than `room` columns. */
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
  // Checking the length first avoids spelling a long text.
  if (value.span.end - value.span.start > room) return undefined;
  const written = spellValue(value, page.source);
  return /[\r\n]/.test(written) ? undefined : name + written;
}

/** Attribute in separate lines. */
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

/** Spells a long value; in a file with CRLF line ends, breaking at `\n` would change the value, so it stays. */
function spellLong({ lineEnd }: Page, written: string, column: number): string {
  const canBreak = lineEnd === '\n' && column + written.length > ROOM && written.includes('\\n');
  return canBreak && isWide(written, column, ROOM) ? breakLines(written) : written;
}
