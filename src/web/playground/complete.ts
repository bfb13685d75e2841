import type { AttributeDefinition } from '../../graph/attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition, attributeNames } from '../../graph/attributes.js';
import { handlerTypeOfShape, handlerTypes } from '../../graph/handler-types.js';
import { nodeConditions } from '../../graph/queries.js';
import {
  describeValue,
  inKeyList,
  inPath,
  isKeyList,
  type KnownValues,
  knownValues,
  openPath,
  valuesOfPath,
  type WordCompletion,
} from './complete-values.js';
import { contextAt, type EditContext, scan } from './edit-context.js';
import type { Suggestion } from './suggestion.js';

export interface Completion {
  /** Start of the typed part. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

/**
 * Completions at an offset of a pipeline: attributes by their owner with their meaning, values, shapes and
 * handler types, nodes, and the keys and words of conditions; all from the tables of the language.
 */
export function complete(text: string, offset: number): Completion | undefined {
  const place = contextAt(text, offset);
  switch (place.kind) {
    case 'elsewhere':
      return undefined;
    case 'statement':
      return given(place.from, [...keywords, ...nodesOf(text), ...graphNames()]);
    case 'edge_end':
      return given(place.from, nodesOf(text));
    case 'attribute_name':
      return given(place.from, namesOf(place.owner, place.written));
    case 'attribute_value':
      return valueCompletion(text, place);
  }
}

function given(from: number, suggestions: readonly Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { from, suggestions };
}

const keywords: readonly Suggestion[] = [
  {
    label: 'node',
    kind: 'keyword',
    insert: 'node [',
    info: 'Attributes of the nodes below, unless they say otherwise.',
  },
  {
    label: 'edge',
    kind: 'keyword',
    insert: 'edge [',
    info: 'Attributes of the edges below, unless they say otherwise.',
  },
  { label: 'graph', kind: 'keyword', insert: 'graph [', info: 'Attributes of the pipeline.' },
  { label: 'subgraph', kind: 'keyword', info: 'A group of nodes, which may share defaults and a class.' },
];

function graphNames(): readonly Suggestion[] {
  return namesOf('graph', []).map((suggestion) => ({ ...suggestion, insert: `${suggestion.label}=` }));
}

function namesOf(owner: AttributeOwner, written: readonly string[]): readonly Suggestion[] {
  return attributeNames(owner)
    .filter((name) => !written.includes(name))
    .map((name) => {
      const definition = attributeDefinition(owner, name);
      return {
        label: name,
        kind: 'attribute',
        // The name of a parameter is up to the author.
        insert: name.endsWith('*') ? name.slice(0, -1) : `${name}=`,
        detail: definition && describeType(definition),
        info: definition && describeAttribute(definition),
      };
    });
}

/** `duration, 5s` and the like. */
function describeType({ type, default: value }: AttributeDefinition): string {
  return value === undefined || value === '' ? type : `${type}, by default ${value}`;
}

function describeAttribute({ doc, values }: AttributeDefinition): string {
  return values === undefined ? doc : `${doc} One of: ${values.join(', ')}.`;
}

/** Ids that stand where nodes stand, in the order of the text. */
function nodesOf(text: string): readonly Suggestion[] {
  const tokens = scan(text).filter(({ kind }) => kind !== 'comment');
  const ids = new Set<string>();
  let isInList = false;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '[') isInList = true;
    else if (token.text === ']') isInList = false;
    if (isInList || token.kind !== 'word' || !/^[A-Za-z_]\w*$/.test(token.text)) continue;
    const previous = tokens[index - 1]?.text;
    const next = tokens[index + 1]?.text;
    const isName = previous === 'digraph' || previous === 'subgraph' || next === '=' || previous === '=';
    if (!isName && !reserved.has(token.text)) ids.add(token.text);
  }
  return [...ids].map((id) => ({ label: id, kind: 'node' }));
}

const reserved: ReadonlySet<string> = new Set(['digraph', 'graph', 'node', 'edge', 'subgraph', 'strict']);

type AttributeValueContext = Extract<EditContext, { readonly kind: 'attribute_value' }>;

function valueCompletion(text: string, place: AttributeValueContext): Completion | undefined {
  const { owner, name, from } = place;
  if (isCondition(name)) return place.isQuoted ? inCondition(text, place) : undefined;
  const inValue = place.isQuoted ? wordInValue(text, place) : undefined;
  if (inValue !== undefined) return given(from + place.text.length - inValue.typed, inValue.suggestions);
  const definition = attributeDefinition(owner, name);
  const values = valuesOf(text, owner, name, definition);
  const isPlain = /^[A-Za-z_]\w*$/;
  return given(
    from,
    values.map((value) =>
      place.isQuoted || isPlain.test(value.label) ? value : { ...value, insert: `"${value.label}"` },
    ),
  );
}

function valuesIn(text: string): KnownValues {
  return knownValues(
    text,
    nodesOf(text).map(({ label }) => label),
  );
}

function isCondition(name: string): boolean {
  return name === 'condition' || nodeConditions.some((one) => one === name);
}

/** Completion of a key in a list, or of a path in a template. */
function wordInValue(
  text: string,
  { owner, name, text: written }: AttributeValueContext,
): WordCompletion | undefined {
  if (isKeyList(name)) return inKeyList(name, written, valuesIn(text));
  const path = openPath(written);
  const takesValues = owner !== 'edge' && attributeDefinition(owner, name)?.template !== undefined;
  if (path === undefined || !takesValues) return undefined;
  return inPath(path, valuesIn(text)) ?? { typed: path.length, suggestions: roots };
}

const roots: readonly Suggestion[] = [
  { label: 'context', kind: 'key', insert: 'context.', info: 'Keys that stages have set.' },
  { label: 'inputs', kind: 'key', insert: 'inputs.', info: 'Values that the run is given.' },
  { label: 'stages', kind: 'key', insert: 'stages.', info: 'What a stage said, by its name.' },
  { label: 'result', kind: 'key', insert: 'result.', info: 'The outcome of the stage before.' },
  { label: 'graph', kind: 'key', insert: 'graph.', info: 'Attributes of the pipeline.' },
];

function valuesOf(
  text: string,
  owner: AttributeOwner,
  name: string,
  definition: AttributeDefinition | undefined,
): readonly Suggestion[] {
  if (owner === 'node' && name === 'shape') return shapes;
  if (owner === 'node' && name === 'type') return types;
  if (definition?.names === 'node' || definition?.names === 'choice') return nodesOf(text);
  if (definition?.type === 'boolean') return ['true', 'false'].map((label) => ({ label, kind: 'value' }));
  return (definition?.values ?? []).map((label) => ({ label, kind: 'value' }));
}

const shapes: readonly Suggestion[] = handlerTypes.flatMap((handler): Suggestion[] =>
  'shape' in handler
    ? [{ label: handler.shape, kind: 'handler', detail: handler.title, info: handler.summary }]
    : [],
);

const types: readonly Suggestion[] = handlerTypes.map(({ type, title, summary }) => ({
  label: type,
  kind: 'handler',
  detail: title,
  info: summary,
}));

const outcomes: readonly Suggestion[] = [
  { label: 'success', kind: 'value', info: 'The stage has done its work.' },
  { label: 'partial_success', kind: 'value', info: 'Part of the work is done; it counts as a success.' },
  { label: 'fail', kind: 'value', info: 'The stage has failed.' },
  { label: 'retry', kind: 'value', info: 'It asks for another attempt, and none is left.' },
  { label: 'skipped', kind: 'value', info: 'The stage was left out.' },
];

const conditionKeys: readonly Suggestion[] = [
  { label: 'outcome', kind: 'key', insert: 'outcome=', info: 'The status of the outcome that routes.' },
  {
    label: 'preferred_label',
    kind: 'key',
    insert: 'preferred_label=',
    info: 'The label that the outcome prefers.',
  },
  { label: 'exists', kind: 'keyword', insert: 'exists ', info: 'True if a key has a value.' },
  {
    label: 'context.last_response',
    kind: 'key',
    info: 'The beginning of what the latest LLM stage answered.',
  },
  { label: 'context.tool.output', kind: 'key', info: 'Output of the latest tool.' },
  { label: 'context.human.gate.selected', kind: 'key', info: 'The key of what a person chose last.' },
];

/** Keys of the context, comparisons of the outcome; inside a string that is not a condition before it is whole. */
function inCondition(text: string, { from, text: written }: AttributeValueContext): Completion | undefined {
  const [, compared, value] = /([\w.-]+)\s*(?:!=|==|=)\s*([\w.-]*)$/.exec(written) ?? [];
  if (compared !== undefined && value !== undefined) {
    const values = compared.endsWith('outcome') ? outcomes : valuesOfPath(compared, valuesIn(text));
    return given(from + written.length - value.length, values);
  }
  const word = /[\w.-]*$/.exec(written)?.[0] ?? '';
  const path = inPath(word, valuesIn(text));
  if (path !== undefined && !word.startsWith('context.'))
    return given(from + written.length - path.typed, path.suggestions);
  const known = new Set(conditionKeys.map(({ label }) => label));
  const used = [...new Set(text.match(/\bcontext\.[A-Za-z_][\w.-]*\w/g) ?? [])]
    .filter((label) => !known.has(label) && label !== word)
    .map((label): Suggestion => ({ label, kind: 'key', info: 'Used elsewhere in this pipeline.' }));
  const declared = [...valuesIn(text).keys]
    .map(([key]) => `context.${key}`)
    .filter((label) => !known.has(label) && !used.some((one) => one.label === label) && label !== word)
    .map((label): Suggestion => ({ label, kind: 'key', info: 'Set by a stage of this pipeline.' }));
  return given(from + written.length - word.length, [
    ...conditionKeys,
    ...roots.slice(1, 4),
    ...declared,
    ...used,
  ]);
}

/** Explanation of a part of a text, and its range. */
export interface Hover {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly text: string;
}

/** Explanation of an attribute, a shape or a handler type at an offset (§2.5–2.8). */
export function hoverAt(text: string, offset: number): Hover | undefined {
  const token = scan(text).find(({ start, end }) => start <= offset && offset < end);
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'string')) return undefined;
  const { start: from, end: to } = token;
  const place = contextAt(text, token.kind === 'string' ? from + 1 : to);
  const value = token.kind === 'string' ? hoverOfPath(text, offset) : undefined;
  if (value !== undefined) return value;
  const word = token.kind === 'string' ? token.text.replace(/^"|"$/g, '') : token.text;
  if (place.kind === 'attribute_name') return hoverOfName(place.owner, word, { from, to });
  if (place.kind === 'statement' && /^\s*=/.test(text.slice(to)))
    return hoverOfName('graph', word, { from, to });
  if (place.kind !== 'attribute_value' || place.owner !== 'node') return undefined;
  const handler =
    place.name === 'shape'
      ? handlerTypeOfShape(word)
      : place.name === 'type'
        ? handlerTypes.find(({ type }) => type === word)
        : undefined;
  return handler && { from, to, title: handler.title, text: handler.summary };
}

/** Explanation of a declared value whose path is at an offset. */
function hoverOfPath(text: string, offset: number): Hover | undefined {
  const before = /[\w.-]*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const after = /^[\w.-]*/.exec(text.slice(offset))?.[0] ?? '';
  const path = before + after;
  if (!/^(?:inputs|context)\.\w/.test(path)) return undefined;
  const found = describeValue(path, valuesIn(text));
  const from = offset - before.length;
  return found === undefined ? undefined : { from, to: from + path.length, title: path, text: found };
}

function hoverOfName(
  owner: AttributeOwner,
  name: string,
  span: { readonly from: number; readonly to: number },
): Hover | undefined {
  const definition = attributeDefinition(owner, name);
  if (definition === undefined) return undefined;
  return {
    ...span,
    title: `${name} (${owner}, ${describeType(definition)})`,
    text: describeAttribute(definition),
  };
}
