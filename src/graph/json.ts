/** Value that survives being written as JSON and read again. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** True for an object with fields: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Deep copy of a value of plain objects and lists, which the caller may change. Texts, numbers and the like
 * are returned as they are.
 */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // An assignment would set the prototype.
    if (key === '__proto__') {
      const descriptor = { value: copyJson(member), enumerable: true, writable: true, configurable: true };
      Object.defineProperty(copy, key, descriptor);
    } else copy[key] = copyJson(member);
  }
  return copy as Value;
}
