import type { JsonValue } from '../../graph/json.js';
import { headOf, linesOf } from '../../view/cut-text.js';

/**
 * Value of the context on one line, in at most about `limit` characters and in time that depends on the
 * limit only: the results of a thousand branches are one value too. Text has no quotes, lists and maps are
 * JSON.
 */
export function valueText(value: JsonValue, limit: number): string {
  if (typeof value === 'string') return headOf(linesOf(headOf(value, limit * 4)), limit);
  const parts: string[] = [];
  write(value, { parts, room: limit * 2 });
  return headOf(parts.join(''), limit);
}

interface Sheet {
  readonly parts: string[];
  room: number;
}

function write(value: JsonValue, sheet: Sheet): void {
  if (sheet.room <= 0) return;
  if (typeof value === 'string') put(sheet, JSON.stringify(headOf(value, sheet.room)));
  else if (typeof value !== 'object' || value === null) put(sheet, String(value));
  else if (isList(value)) writeList(value, sheet);
  else writeMap(value, sheet);
}

function writeList(list: readonly JsonValue[], sheet: Sheet): void {
  put(sheet, '[');
  for (const [index, item] of list.entries()) {
    if (sheet.room <= 0) break;
    if (index > 0) put(sheet, ', ');
    write(item, sheet);
  }
  put(sheet, ']');
}

function writeMap(map: Readonly<Record<string, JsonValue>>, sheet: Sheet): void {
  put(sheet, '{');
  let isFirst = true;
  for (const key in map) {
    if (sheet.room <= 0) break;
    const value = map[key];
    if (value === undefined) continue;
    put(sheet, `${isFirst ? '' : ', '}${JSON.stringify(headOf(key, sheet.room))}: `);
    write(value, sheet);
    isFirst = false;
  }
  put(sheet, '}');
}

function put(sheet: Sheet, text: string): void {
  sheet.parts.push(text);
  sheet.room -= text.length;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
