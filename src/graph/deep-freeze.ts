/**
 * Makes a value of plain objects and lists unchangeable, all the way down. What is frozen already is taken to be so
 * throughout.
 * @returns the value itself
 */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) deepFreeze(members[key]);
  return value;
}
