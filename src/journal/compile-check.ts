import { z } from 'zod';
import { isRecord } from '../graph/json.js';

/** Problem of a value read from JSON, with the path to it from the outside in. */
export interface CheckProblem {
  readonly path: readonly (string | number)[];
  /** Continues "it": `is 3, but it must be a text`. */
  readonly message: string;
}

export type Check = (value: unknown) => CheckProblem | undefined;

/**
 * Compiles a check that a value matches a schema. The check is many times as fast as parsing and copies
 * nothing: a journal may have a hundred thousand lines. It supports the parts of zod that event schemas
 * use, and is stricter in one respect: it rejects unknown fields.
 */
export function compileCheck(schema: z.core.$ZodType): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objectCheck(def.shape);
    case 'record':
      return recordCheck(def.valueType);
    case 'union':
      return unionCheck(def.options.map(compileCheck));
    case 'array':
      return arrayCheck(compileCheck(def.element));
    case 'optional':
      return compileCheck(def.innerType);
    case 'string':
      return stringCheck(schema);
    case 'number':
      return numberCheck(schema);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : wrong(value, '`true` or `false`'));
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'custom':
      return () => undefined;
    default:
      throw new Error(`there is no check for a schema of the type ${def.type}`);
  }
}

interface Field {
  readonly check: Check;
  readonly isRequired: boolean;
}

function objectCheck(shape: Readonly<Record<string, z.core.$ZodType>>): Check {
  const fields = new Map<string, Field>();
  for (const [name, schema] of Object.entries(shape)) {
    fields.set(name, { check: compileCheck(schema), isRequired: schema._zod.optin !== 'optional' });
  }
  const requiredNames = [...fields].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return (value) => {
    if (!isRecord(value)) return wrong(value, 'an object');
    let found = 0;
    for (const name in value) {
      const field = fields.get(name);
      if (field === undefined) return { path: [name], message: 'is unknown to this version' };
      const problem = field.check(value[name]);
      if (problem !== undefined) return below(name, problem);
      if (field.isRequired) found += 1;
    }
    if (found === requiredNames.length) return undefined;
    const missing = requiredNames.find((name) => !Object.hasOwn(value, name)) ?? '';
    return { path: [missing], message: 'is missing' };
  };
}

function recordCheck(valueType: z.core.$ZodType): Check {
  const checkValue = valueType._zod.def.type === 'custom' ? undefined : compileCheck(valueType);
  return (value) => {
    if (!isRecord(value)) return wrong(value, 'an object');
    if (checkValue === undefined) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const problem = checkValue(member);
      if (problem !== undefined) return below(name, problem);
    }
    return undefined;
  };
}

/** True if one of several checks that do not look into objects holds; the message has the expectation of each. */
function unionCheck(checks: readonly Check[]): Check {
  return (value) => {
    const messages: string[] = [];
    for (const check of checks) {
      const problem = check(value);
      if (problem === undefined) return undefined;
      messages.push(problem.message);
    }
    const [first = '', ...others] = messages;
    const expected = others.map((message) => ` or ${message.split(expectation).at(-1)}`);
    return { path: [], message: `${first}${expected.join('')}` };
  };
}

function arrayCheck(checkItem: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return wrong(value, 'a list');
    for (let index = 0; index < value.length; index += 1) {
      const problem = checkItem(value[index]);
      if (problem !== undefined) return below(index, problem);
    }
    return undefined;
  };
}

function stringCheck(schema: z.core.$ZodType): Check {
  const { def } = schema._zod as z.core.$ZodTypeInternals & { readonly def: { readonly pattern?: RegExp } };
  const { pattern } = def;
  if (pattern === undefined)
    return (value) => (typeof value === 'string' ? undefined : wrong(value, 'a string'));
  const expected =
    schema instanceof z.ZodISODateTime ? 'a time: ISO 8601, in UTC' : `a string that matches ${pattern}`;
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : wrong(value, expected));
}

function numberCheck(schema: z.core.$ZodType): Check {
  const { minValue, isInt } = schema as z.ZodNumber;
  const minimum = minValue ?? Number.NEGATIVE_INFINITY;
  const least = Number.isFinite(minimum) ? `, at least ${minimum}` : '';
  const expected = `${isInt ? 'a whole number' : 'a number'}${least}`;
  return (value) =>
    typeof value === 'number' && value >= minimum && (!isInt || Number.isSafeInteger(value))
      ? undefined
      : wrong(value, expected);
}

function oneOf(values: readonly unknown[]): Check {
  const known = new Set(values);
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  const expected = values.length === 1 ? listed : `one of ${listed}`;
  return (value) => (known.has(value) ? undefined : wrong(value, expected));
}

function below(key: string | number, { path, message }: CheckProblem): CheckProblem {
  return { path: [key, ...path], message };
}

const longestExcerpt = 60;
const expectation = ', but it must be ';

function wrong(value: unknown, expected: string): CheckProblem {
  const text = JSON.stringify(value) ?? String(value);
  const excerpt = text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
  return { path: [], message: `is ${excerpt}${expectation}${expected}` };
}
