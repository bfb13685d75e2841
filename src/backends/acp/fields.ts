import { isRecord } from '../../graph/json.js';

/** What agents send is read without trust: a field that is missing, or of another kind, is simply not there. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object in a field; an empty one where there is none. */
export function recordIn(value: unknown, name: string): Fields {
  const field = isRecord(value) ? value[name] : undefined;
  return isRecord(field) ? field : {};
}

export function textIn(value: unknown, name: string): string | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
}

/** A number from 0. */
export function countIn(value: unknown, name: string): number | undefined {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'number' && Number.isFinite(field) && field >= 0 ? field : undefined;
}

/** The objects in a list. */
export function recordsIn(value: unknown, name: string): readonly Fields[] {
  const field = isRecord(value) ? value[name] : undefined;
  return Array.isArray(field) ? field.filter(isRecord) : [];
}
