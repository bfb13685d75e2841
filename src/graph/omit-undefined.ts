/**
 * Removes undefined fields, for readers that distinguish them from missing ones: JSON values, environments.
 */
export function omitUndefined<Value>(
  fields: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  const isSet = (entry: [string, Value | undefined]): entry is [string, Value] => entry[1] !== undefined;
  return Object.fromEntries(Object.entries(fields).filter(isSet));
}
