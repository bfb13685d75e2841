import type { Template, TemplatePart } from './ast.js';
import { readDollars } from './reference.js';

/**
 * Finds the values in a text (SEMANTICS §12 "Values at run time"): `${path}` with a path as in conditions, in one of the
 * known namespaces. Directly before the brace, `$$` is a dollar sign: `$${context.x}` is the text `${context.x}`, and
 * `$$${context.x}` a dollar sign and a value. Everything else stays as it is. Never throws.
 */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = [];
  let literal = '';
  let literalStart = 0;
  let position = 0;
  const endLiteral = (end: number): void => {
    if (end > literalStart) {
      parts.push({ kind: 'literal', text: literal, span: { start: literalStart, end } });
    }
    literal = '';
  };
  for (let dollar = text.indexOf('$'); dollar !== -1; dollar = text.indexOf('$', position)) {
    const { dollars, reference, end } = readDollars(text, dollar);
    literal += text.slice(position, dollar) + '$'.repeat(reference === undefined ? dollars : dollars / 2);
    position = end;
    if (reference === undefined) continue;
    const { kind, path, span } = reference;
    if (kind === 'escaped') {
      literal += `\${${path}}`;
      continue;
    }
    endLiteral(span.start);
    literalStart = end;
    parts.push(kind === 'value' ? { kind, path, span } : { kind, text: text.slice(span.start, end), span });
  }
  literal += text.slice(position);
  endLiteral(text.length);
  return { text, parts };
}
