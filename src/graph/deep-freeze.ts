/**
 * Freezes a value of plain objects and lists, with everything in it. A frozen object is assumed to be
 * frozen throughout.
 * @returns the value itself
 */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) deepFreeze(members[key]);
  return value;
}
