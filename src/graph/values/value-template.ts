import { parseTemplate } from '../../parser/template/parse.js';
import type { AttributeValue } from '../graph.js';
import { isRecord, type JsonValue } from '../json.js';
import type { Template } from '../templates.js';

/** Value with values of the run in it, of any type (SEMANTICS 102). */
export type ValueTemplate =
  | { readonly kind: 'constant'; readonly value: JsonValue }
  /** `isWhole` for one that is a single value, which keeps its type. */
  | { readonly kind: 'text'; readonly template: Template; readonly isWhole: boolean }
  | { readonly kind: 'list'; readonly items: readonly ValueTemplate[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [string, ValueTemplate])[] };

/**
 * Value of an attribute as a template: numbers and booleans keep their type, and a text that is written as
 * a JSON list or map is one, whose strings are templates.
 */
export function parseValueTemplate(value: AttributeValue): ValueTemplate {
  if (typeof value === 'object') return templateOf(value.text);
  if (typeof value !== 'string') return { kind: 'constant', value };
  return templateOf(writtenContainer(value) ?? value);
}

/** True for a text that looks like a JSON list or map but is not, because a value in it is outside of quotes. */
export function isBrokenContainer(text: string): boolean {
  return looksLikeContainer(text) && writtenContainer(text) === undefined;
}

function looksLikeContainer(text: string): boolean {
  return /^\s*(?:\[[\s\S]*\]|\{[\s\S]*\})\s*$/.test(text);
}

function writtenContainer(text: string): JsonValue | undefined {
  if (!looksLikeContainer(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function templateOf(value: JsonValue): ValueTemplate {
  if (typeof value === 'string') {
    const template = parseTemplate(value);
    return template.parts.some(({ kind }) => kind === 'value')
      ? { kind: 'text', template, isWhole: template.parts.length === 1 }
      : { kind: 'constant', value: literalText(template) };
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(templateOf) };
  if (isRecord(value)) {
    const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
    return { kind: 'map', members: members.map(([key, item]) => [key, templateOf(item)]) };
  }
  return { kind: 'constant', value };
}

/** Text without values: `$${context.x}` is the text `${context.x}`. */
function literalText({ text, parts }: Template): string {
  return parts.length === 0 ? text : parts.map((part) => (part.kind === 'value' ? '' : part.text)).join('');
}
