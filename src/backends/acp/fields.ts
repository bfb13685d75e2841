import { isRecord } from '../../graph/json.js';

/** Data from an agent, read without trust: a missing field, or one of another type, is undefined. */
export type Fields = Readonly<Record<string, unknown>>;

/** Object in a field; an empty one if there is none. */
export function recordIn(value: unknown, name: string): Fields {
  const field = isRecord(value) ? value[name] : undefined;
  return isRecord(field) ? field : {};
}

export function textIn(value: unknown, name: string): string | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
}

/** Number from 0 in a field; undefined for anything else. */
export function countIn(value: unknown, name: string): number | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'number' && Number.isFinite(field) && field >= 0 ? field : undefined;
}

/** Objects in a list; none if there is no list. */
export function recordsIn(value: unknown, name: string): readonly Fields[] {
  const field = isRecord(value) ? value[name] : undefined;
  return Array.isArray(field) ? field.filter(isRecord) : [];
}
