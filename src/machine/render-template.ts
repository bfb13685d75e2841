import type { JsonValue } from '../graph/json.js';
import { textOfValue } from '../graph/look-up.js';
import type { Template, ValuePart } from '../parser/template/ast.js';
import { parseTemplate } from '../parser/template/parse.js';

/** Value of a path. */
export type ValueLookup = (path: string) => JsonValue | undefined;

/**
 * Renders a template as text (SEMANTICS §12 "Values at run time"): lists and maps are compact JSON, missing
 * values are empty. Values are not expanded again.
 */
export function renderText(template: Template | string, lookup: ValueLookup): string {
  const { text, parts } = asTemplate(template);
  if (parts.length === 1 && parts[0]?.kind === 'literal') return parts[0].text;
  if (parts.length === 0) return text;
  return parts.map((part) => (part.kind === 'value' ? textOfValue(lookup(part.path)) : part.text)).join('');
}

/** Like `renderText`, but a template that is a single value keeps its type; a missing value is empty. */
export function renderTemplate(template: Template | string, lookup: ValueLookup): JsonValue {
  const parsed = asTemplate(template);
  const whole = wholeValue(parsed);
  return whole === undefined ? renderText(parsed, lookup) : (lookup(whole.path) ?? '');
}

function wholeValue({ parts }: Template): ValuePart | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.kind === 'value' ? first : undefined;
}

function asTemplate(template: Template | string): Template {
  if (typeof template !== 'string') return template;
  return template.includes('${') ? parseTemplate(template) : { text: template, parts: [] };
}
