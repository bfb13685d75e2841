import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { excerpt } from '../diagnostic/excerpt.js';
import type { Span } from '../diagnostic/source.js';
import type { AttributeNode, Comment } from '../parser/dot/ast.js';
import type { AttributeDefinition } from './attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition } from './attributes.js';
import { type Coercion, coerceValue } from './coerce.js';
import { type Attribute, attributeText } from './graph.js';
import { isGraphvizAttribute } from './graphviz/graphviz-attributes.js';

/** List that receives findings, and the comments of the text, which no fix removes. */
export interface LoweringNotes {
  readonly diagnostics: Diagnostic[];
  readonly comments: readonly Comment[];
}

/**
 * Types the attributes of one block. An unreadable one is left out, so that no reader meets a value of the
 * wrong type; its diagnostic is an error, so that no run starts without it, unless the attribute is
 * optional.
 */
export function lowerAttributes(
  owner: AttributeOwner | 'subgraph',
  attributes: readonly AttributeNode[],
  origin: Attribute['origin'],
  { diagnostics, comments }: LoweringNotes,
): readonly Attribute[] {
  const byName = new Map<string, Attribute>();
  let indexOf: ReadonlyMap<Span, number> | undefined;
  for (const written of attributes) {
    const name = written.key.name;
    const before = byName.get(name);
    if (owner === 'subgraph' && !isSubgraphAttribute(name)) diagnostics.push(strayAttribute(written));
    const definition = owner === 'subgraph' ? undefined : attributeDefinition(owner, name);
    const coercion = coerceValue(definition, written.value);
    if (before !== undefined) {
      indexOf ??= new Map(attributes.map(({ key }, index) => [key.span, index]));
      const next = attributes[(indexOf.get(before.keySpan) ?? attributes.length) + 1];
      const removal = coercion.kind === 'problem' ? undefined : removalOf(before, next, comments);
      diagnostics.push(duplicateAttribute(written, before, removal));
    }
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

function duplicateAttribute(
  written: AttributeNode,
  before: Attribute,
  removal: Span | undefined,
): Diagnostic {
  const isSame = attributeText(before.value) === written.value.text;
  return {
    rule: 'duplicate_attribute',
    severity: 'warning',
    message: `\`${written.key.name}\` is set twice in one block; the last value wins`,
    span: written.key.span,
    related: [{ span: before.keySpan, message: 'first set here' }],
    fix:
      removal === undefined
        ? { title: 'remove one of the two', edits: [] }
        : {
            title: isSame ? 'remove one of the two' : 'remove the first one, which has no effect',
            edits: [{ span: removal, text: '' }],
            // The author may have meant either of two values.
            unsafe: !isSame,
          },
  };
}

/**
 * Span of an attribute with its separator, up to the next one of its block; undefined if a comment would be
 * removed too.
 */
function removalOf(
  { keySpan }: Attribute,
  next: AttributeNode | undefined,
  comments: readonly Comment[],
): Span | undefined {
  if (next === undefined) return undefined;
  const removed = { start: keySpan.start, end: next.key.span.start };
  return (firstBehind(comments, removed.start)?.span.start ?? removed.end) < removed.end
    ? undefined
    : removed;
}

/** First comment that begins at or after an offset, among comments in the order of the text. */
function firstBehind(comments: readonly Comment[], offset: number): Comment | undefined {
  let low = 0;
  let high = comments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.span.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return comments[low];
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
    fix:
      suggestion === undefined
        ? undefined
        : {
            title: `write \`${suggestion}\``,
            edits: [{ span: written.value.span, text: spelledLike(written, suggestion) }],
            unsafe: !isSameWord(written.value.text, suggestion, definition),
          },
  };
}

/**
 * True if a suggestion is another spelling of the text; a word of a closed set that is merely similar is a
 * guess.
 */
function isSameWord(text: string, suggestion: string, definition: AttributeDefinition | undefined): boolean {
  const letters = (word: string) => word.toLowerCase().replace(/[\s_-]/g, '');
  return definition?.values === undefined || letters(text) === letters(suggestion);
}

/** Suggestion in quotes if the author had quotes: Graphviz reads no bare duration (SEMANTICS 17). */
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
