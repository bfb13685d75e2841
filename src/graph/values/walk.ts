import type { JsonValue } from '../json.js';

/** Segment of a path that is every member of a list (SEMANTICS 105). */
export const everyMember = '*';

/**
 * Follows own properties and list indices only: `constructor` and `length` lead nowhere. In a map, the longest key goes first,
 * as in the context; `*` makes a list of what the rest of the path leads to from every member, with `null` where that is
 * nothing, and leads nowhere from anything but a list (SEMANTICS 105).
 */
export function walk(value: JsonValue | undefined, segments: readonly string[]): JsonValue | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) {
    if (segment === everyMember) return value.map((member) => walk(member, rest) ?? null);
    return isIndex(segment) ? walk(value[Number(segment)], rest) : undefined;
  }
  if (segment === everyMember) return undefined;
  return rest.length === 0 ? ownValue(value, segment) : walkMap(value, segments);
}

function walkMap(
  map: Readonly<Record<string, JsonValue>>,
  segments: readonly string[],
): JsonValue | undefined {
  let longestMatch: JsonValue | undefined;
  const star = segments.indexOf(everyMember);
  for (let length = star === -1 ? segments.length : star; length > 0; length -= 1) {
    const key = segments.slice(0, length).join('.');
    if (!Object.hasOwn(map, key)) continue;
    const value = walk(map[key], segments.slice(length));
    if (isPresent(value)) return value;
    if (value === null) longestMatch = null;
  }
  return longestMatch;
}

export function isIndex(segment: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(segment);
}

export function ownValue(map: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function isPresent(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
