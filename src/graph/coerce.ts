import { nearestName } from '../diagnostic/did-you-mean.js';
import type { ValueNode } from '../parser/dot/ast.js';
import type { AttributeDefinition, AttributeType } from './attribute-tables/attribute-definition.js';
import type { AttributeValue, Duration } from './graph.js';

/** Value read as its attribute's type (SEMANTICS 3–6), or the problem with it. */
export type Coercion =
  | { readonly kind: 'value'; readonly value: AttributeValue; readonly warning?: string }
  | { readonly kind: 'problem'; readonly expected: string; readonly suggestion?: string };

const numberPattern = /^-?[0-9]*\.?[0-9]+$/;
const durationPattern = /^([0-9]+)(ms|s|m|h|d)?$/;
const millisecondsOfUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads a value by the type of its attribute, quoted or not; a value of an unknown attribute keeps the type
 * of its spelling: text, a number, `true` or `false`.
 */
export function coerceValue(definition: AttributeDefinition | undefined, written: ValueNode): Coercion {
  if (definition === undefined || definition.type === 'any') {
    return { kind: 'value', value: naturalValue(written) };
  }
  if (definition.type === 'string') return coerceWord(definition, written.text);
  return coercions[definition.type](written.text.trim(), definition);
}

/** Word of a closed set, or any text. An empty one counts as unset. */
function coerceWord({ values, openValues }: AttributeDefinition, text: string): Coercion {
  if (values === undefined || openValues || text === '' || values.includes(text)) {
    return { kind: 'value', value: text };
  }
  const suggestion = nearestName(text, values);
  const expected = `one of ${values.map((value) => `\`${value}\``).join(', ')}`;
  return { kind: 'problem', expected, suggestion };
}

type TextCoercion = (text: string, definition: AttributeDefinition) => Coercion;

const coercions: Readonly<Record<Exclude<AttributeType, 'string' | 'any'>, TextCoercion>> = {
  integer: coerceInteger,
  number: coerceNumber,
  boolean: coerceBoolean,
  duration: coerceDuration,
};

function coerceInteger(text: string, definition: AttributeDefinition): Coercion {
  const number = numberPattern.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= minimumOf(definition))
    return { kind: 'value', value: number };
  return { kind: 'problem', expected: `an integer${atLeast(definition)}` };
}

function coerceNumber(text: string, definition: AttributeDefinition): Coercion {
  const { values: words = [] } = definition;
  if (words.includes(text)) return { kind: 'value', value: text };
  const number = numberPattern.test(text) ? Number(text) : Number.NaN;
  if (!(number >= minimumOf(definition))) {
    const others = words.map((word) => ` or \`${word}\``).join('');
    const suggestion = nearestName(text, words);
    return { kind: 'problem', expected: `a number${atLeast(definition)}${others}`, suggestion };
  }
  if (definition.wholeNumberExpected && !Number.isInteger(number)) {
    return { kind: 'value', value: number, warning: 'expected an integer; the value is not rounded' };
  }
  return { kind: 'value', value: number };
}

function minimumOf(definition: AttributeDefinition): number {
  return definition.minimum ?? Number.NEGATIVE_INFINITY;
}

function atLeast(definition: AttributeDefinition): string {
  return definition.minimum === undefined ? '' : ` of at least ${definition.minimum}`;
}

function coerceBoolean(text: string): Coercion {
  if (text === 'true' || text === 'false') return { kind: 'value', value: text === 'true' };
  const lower = text.toLowerCase();
  const suggestion = ['true', 'yes', '1', 'on'].includes(lower)
    ? 'true'
    : ['false', 'no', '0', 'off'].includes(lower)
      ? 'false'
      : undefined;
  return { kind: 'problem', expected: '`true` or `false`', suggestion };
}

function coerceDuration(text: string): Coercion {
  const duration = parseDuration(text);
  if (duration !== undefined) return { kind: 'value', value: duration };
  const suggestion = suggestDuration(text);
  return {
    kind: 'problem',
    expected: 'a duration such as `900s`, `15m` or `250ms` (a bare number is seconds)',
    suggestion,
  };
}

const wordOfUnit = {
  ms: /^(?:ms|msecs?|millis|milliseconds?)$/i,
  s: /^(?:s|secs?|seconds?)$/i,
  m: /^(?:mins?|minutes?)$/i,
  h: /^(?:h|hrs?|hours?)$/i,
  d: /^(?:d|days?)$/i,
} as const;

/** `15m` for `15 minutes`, `5400s` for `1.5h`; undefined for `15M`, which may be minutes or months. */
function suggestDuration(text: string): string | undefined {
  const [, amount = '', unitWord = ''] = /^([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([A-Za-z]+)$/.exec(text) ?? [];
  const units = ['ms', 's', 'm', 'h', 'd'] as const;
  const unit = units.find((name) => name === unitWord || wordOfUnit[name].test(unitWord));
  if (unit === undefined) return undefined;
  const isWhole = Number.isInteger(Number(amount));
  if (isWhole) return `${Number(amount)}${unit}`;
  const seconds = (Number(amount) * millisecondsOfUnit[unit]) / 1000;
  return Number.isInteger(seconds) ? `${seconds}s` : undefined;
}

/** `900s`, `15m`, `2h`, `250ms`, `1d`, or a bare integer in seconds (SEMANTICS 4); undefined for anything else. */
export function parseDuration(text: string): Duration | undefined {
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  const unit = (match[2] ?? 's') as keyof typeof millisecondsOfUnit;
  const milliseconds = amount * millisecondsOfUnit[unit];
  if (!Number.isSafeInteger(milliseconds)) return undefined;
  return { milliseconds, text: `${amount}${unit}` };
}

function naturalValue(written: ValueNode): AttributeValue {
  switch (written.kind) {
    case 'integer':
    case 'float':
      return Number(written.text);
    case 'boolean':
      return written.text === 'true';
    // Graphviz reads durations in quotes only, so quotes must not make a difference.
    case 'duration':
    case 'string':
    case 'bare':
      return written.text;
  }
}
