import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { excerpt } from '../diagnostic/excerpt.js';
import type { AttributeNode } from '../parser/dot/ast.js';
import { type AttributeDefinition, type AttributeOwner, attributeDefinition } from './attributes.js';
import { type Coercion, coerceValue } from './coerce.js';
import type { Attribute } from './graph.js';
import { isGraphvizAttribute } from './graphviz-attributes.js';

/**
 * Types the attributes of one block. One that cannot be read is left out, so that nobody meets a value of the wrong
 * type; its diagnostic is an error, so that no run starts without it, unless the attribute can do without.
 */
export function lowerAttributes(
  owner: AttributeOwner | 'subgraph',
  attributes: readonly AttributeNode[],
  origin: Attribute['origin'],
  diagnostics: Diagnostic[],
): readonly Attribute[] {
  const byName = new Map<string, Attribute>();
  for (const written of attributes) {
    const name = written.key.name;
    const before = byName.get(name);
    if (before !== undefined) diagnostics.push(duplicateAttribute(written, before));
    if (owner === 'subgraph' && !isSubgraphAttribute(name)) diagnostics.push(strayAttribute(written));
    const definition = owner === 'subgraph' ? undefined : attributeDefinition(owner, name);
    const coercion = coerceValue(definition, written.value);
    if (coercion.kind === 'problem') {
      diagnostics.push(unreadableValue(written, definition, coercion));
      continue;
    }
    if (coercion.warning !== undefined) diagnostics.push(doubtfulValue(written, coercion.warning));
    byName.set(name, {
      name,
      value: coercion.value,
      origin,
      keySpan: written.key.span,
      valueSpan: written.value.span,
    });
  }
  return [...byName.values()];
}

function isSubgraphAttribute(name: string): boolean {
  return name === 'label' || isGraphvizAttribute(name);
}

function duplicateAttribute(written: AttributeNode, before: Attribute): Diagnostic {
  return {
    rule: 'duplicate_attribute',
    severity: 'warning',
    message: `\`${written.key.name}\` is set twice in one block; the last value holds`,
    span: written.key.span,
    related: [{ span: before.keySpan, message: 'first set here' }],
    fix: { title: 'remove one of the two', edits: [] },
  };
}

function strayAttribute(written: AttributeNode): Diagnostic {
  return {
    rule: 'subgraph_attribute',
    severity: 'warning',
    message: `\`${written.key.name}\` inside a subgraph has no effect: it sets neither the pipeline's attribute nor that of the nodes inside`,
    span: written.span,
    fix: {
      title: `move it to the top level, or write \`node [${written.key.name}=…]\` for the nodes inside`,
      edits: [],
    },
  };
}

function unreadableValue(
  written: AttributeNode,
  definition: AttributeDefinition | undefined,
  problem: Extract<Coercion, { kind: 'problem' }>,
): Diagnostic {
  const { suggestion } = problem;
  return {
    rule: definition?.rule ?? 'attribute_type',
    severity: definition?.lenient ? 'warning' : 'error',
    message: `\`${written.key.name}\` is ${excerpt(written.value.text)}, but it must be ${problem.expected}`,
    span: written.value.span,
    ...(suggestion !== undefined && {
      fix: {
        title: `write \`${suggestion}\``,
        edits: [{ span: written.value.span, text: spelledLike(written, suggestion) }],
        ...(!isSameWord(written.value.text, suggestion, definition) && { unsafe: true }),
      },
    }),
  };
}

/** Whether a suggestion is another spelling of what stands there; a word of a closed set that is merely near is a guess. */
function isSameWord(text: string, suggestion: string, definition: AttributeDefinition | undefined): boolean {
  const letters = (word: string) => word.toLowerCase().replace(/[\s_-]/g, '');
  return definition?.values === undefined || letters(text) === letters(suggestion);
}

/** In quotes where the author had quotes: Graphviz reads no bare duration (SEMANTICS 17). */
function spelledLike({ value }: AttributeNode, suggestion: string): string {
  return value.kind === 'string' ? `"${suggestion}"` : suggestion;
}

function doubtfulValue(written: AttributeNode, warning: string): Diagnostic {
  return {
    rule: 'attribute_type',
    severity: 'warning',
    message: `\`${written.key.name}\` is ${excerpt(written.value.text)}: ${warning}`,
    span: written.value.span,
  };
}
