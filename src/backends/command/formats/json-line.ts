import { isRecord, type JsonValue } from '../../../graph/json.js';

export type JsonObject = { readonly [key: string]: JsonValue };

/** Line that is a JSON object; undefined for anything else, such as a warning among them. */
export function objectOfLine(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Field that is an object; an empty one if it is not. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isRecord(value) ? (value as JsonObject) : {};
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Count of tokens: a whole number that is not negative. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}

/** Output of a tool, which agents report as a text, as parts, or as any value. */
export function outputOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.map((part) => textOf(objectOf(part).text) || outputOf(part)).join('\n');
  return JSON.stringify(value);
}
