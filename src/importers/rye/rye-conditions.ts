import type { JsonValue } from '../../graph/json.js';
import { listOf, mapOf, textOf } from './rye-graph.js';
import { translatePath, type ValuePlace } from './rye-values.js';

/** Condition in the notation of this language; undefined, with a note, for one that it cannot say. */
export function translateCondition(when: JsonValue, place: ValuePlace): string | undefined {
  const { all, any, not } = mapOf(when);
  if (all !== undefined) return combined(all, ' && ', place);
  if (any !== undefined) return combined(any, ' || ', place);
  if (not !== undefined) {
    const inner = translateCondition(not, place);
    return inner && `!(${inner})`;
  }
  return comparison(when, place);
}

function combined(parts: JsonValue, sign: string, place: ValuePlace): string | undefined {
  const texts = listOf(parts).map((part) => {
    const text = translateCondition(part, place);
    return text !== undefined && mapOf(part).any !== undefined ? `(${text})` : text;
  });
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(sign);
}

const operators: ReadonlyMap<string, string> = new Map([
  ...([
    ['eq', '='],
    ['==', '='],
    ['=', '='],
  ] as const),
  ...([
    ['ne', '!='],
    ['neq', '!='],
    ['!=', '!='],
  ] as const),
  ...([
    ['gt', '>'],
    ['>', '>'],
    ['gte', '>='],
    ['>=', '>='],
  ] as const),
  ...([
    ['lt', '<'],
    ['<', '<'],
    ['lte', '<='],
    ['<=', '<='],
  ] as const),
  ...([
    ['contains', 'contains'],
    ['regex', 'matches'],
    ['matches', 'matches'],
    ['in', 'in'],
  ] as const),
]);

function comparison(when: JsonValue, place: ValuePlace): string | undefined {
  // The documents of Rye write `operator`, its walker reads `op`.
  const { path, op, operator: spelledOut, value = null } = mapOf(when);
  const key =
    translatePath(textOf(path), place) ??
    (/^[A-Za-z_][\w.]*$/.test(textOf(path)) ? `context.${textOf(path)}` : undefined);
  if (key === undefined) return lost(when, place);
  const operator = textOf(op) || textOf(spelledOut) || 'eq';
  if (operator === 'exists') return value === false ? `!(exists ${key})` : `exists ${key}`;
  const sign = operators.get(operator);
  if (sign === undefined) return lost(when, place);
  if (sign === 'in') return `${key} in [${listOf(value).map(literal).join(', ')}]`;
  if (value === null) return sign === '!=' ? `exists ${key}` : `!(exists ${key})`;
  return `${key} ${sign} ${literal(value)}`;
}

function literal(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' || /^[A-Za-z_][\w-]*$/.test(text)
    ? text
    : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function lost(when: JsonValue, place: ValuePlace): undefined {
  place.lost(`the condition ${JSON.stringify(when)} has no counterpart: the edge is never taken`);
  return undefined;
}
