import type { z } from 'zod';
import { foundText } from '../graph/values/found-text.js';

type Issue = z.core.$ZodIssue;

/**
 * Problems of an external value in one line: `outcome: expected one of …, found "ok"; notes: expected a
 * text, found 5`.
 * @param value the checked value
 */
export function describeIssues(error: z.ZodError, value: unknown): string {
  return error.issues
    .map((issue) => {
      const text = describeIssue(issue, value);
      return issue.path.length === 0 ? text : `${issue.path.join('.')}: ${text}`;
    })
    .join('; ');
}

/**
 * Describes one problem, without its path.
 * @param value the whole checked value; the problem is about a part of it
 */
export function describeIssue(issue: Issue, value: unknown): string {
  const found = (): string => `, found ${foundText(partOf(value, issue.path))}`;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames.get(issue.expected) ?? issue.expected}${found()}`;
    case 'invalid_value':
      return `expected ${choiceOf(issue.values.map(String))}${found()}`;
    case 'invalid_union': {
      const inside = issue.errors.find((issues) => issues.every(isInside));
      if (inside !== undefined) return inside.map((one) => describeInside(one, issue, value)).join('; ');
      const types = issue.errors.flatMap(([first]) =>
        first?.code === 'invalid_type' ? [first.expected] : [],
      );
      const names = types.map((type) => typeNames.get(type) ?? type);
      return names.length === 0 ? `unexpected value${found()}` : `expected ${names.join(' or ')}${found()}`;
    }
    case 'too_small':
      return issue.origin === 'array'
        ? `expected at least ${issue.minimum} ${issue.minimum === 1 ? 'entry' : 'entries'}${found()}`
        : `expected at least ${issue.minimum}${found()}`;
    case 'unrecognized_keys':
      return `there is no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')} here`;
    default:
      return issue.message;
  }
}

/** True for a problem of a part of a value, whose own type is right: then this alternative was meant. */
function isInside({ code, path }: Issue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}

/** Problem of a value within one of several alternatives. */
function describeInside(inner: Issue, { path }: Issue, value: unknown): string {
  const text = describeIssue({ ...inner, path: [...path, ...inner.path] }, value);
  return inner.path.length === 0 ? text : `${inner.path.join('.')}: ${text}`;
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function choiceOf(values: readonly string[]): string {
  return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`;
}

function partOf(value: unknown, path: readonly PropertyKey[]): unknown {
  let part = value;
  for (const key of path) {
    // A single item is accepted as a list of one.
    if (key === 0 && !Array.isArray(part)) continue;
    if (typeof part !== 'object' || part === null) return undefined;
    part = Reflect.get(part, key);
  }
  return part;
}
