import { asksModel } from '../graph/asks-model.js';
import { attributeDefinition } from '../graph/attributes.js';
import { type Attribute, attributeText, type Edge, type Graph, type Node } from '../graph/graph.js';
import { isGraphvizAttribute } from '../graph/graphviz/graphviz-attributes.js';
import type { KnownHandlerTypes } from '../graph/known-handler-types.js';
import { modelChoice, modelFallbacks } from '../graph/model-choice.js';
import { programNode } from '../graph/program.js';
import { conditionOf, handlerTypeOf } from '../graph/queries.js';

/** One thing that an element of a pipeline says, as people read it and as it is compared. */
export interface Facet {
  readonly text: string;
  /** The same for two texts with one meaning. */
  readonly key: string;
}

/** What an element says, by the name of the attribute or of the fact; what it does not say, or says by default, is missing. */
export type Facets = ReadonlyMap<string, Facet>;

/** A pipeline to be compared, after the transforms. */
export interface ComparedPipeline {
  readonly graph: Graph;
  readonly handlerTypes: KnownHandlerTypes;
  /** True if a property may name classes, so that they have a meaning besides the stylesheet. */
  readonly hasProperties: boolean;
}

/** Attributes whose effect on each node is compared instead, wherever it comes from. */
const comparedByEffect: ReadonlySet<string> = new Set([
  ...['llm_model', 'llm_provider', 'llm_fallback', 'reasoning_effort', 'model_stylesheet'],
  ...[
    'max_retries',
    'default_max_retries',
    'default_max_retry',
    'retry_policy',
    'retry_on_fail',
    'on_failure',
  ],
  ...['shape', 'type', 'class', 'condition'],
]);

/** Facets of the pipeline itself. */
export function pipelineFacets({ graph }: ComparedPipeline): Facets {
  const facets = new Map<string, Facet>([['name', plain(graph.name)]]);
  addAttributes(facets, 'graph', graph.attributes.values());
  return facets;
}

/** Facets of a stage: its handler, its model and its retries as they come out, then its other attributes. */
export function nodeFacets(pipeline: ComparedPipeline, node: Node): Facets {
  const { graph, handlerTypes, hasProperties } = pipeline;
  const handler = handlerTypeOf(graph, node, handlerTypes);
  const facets = new Map<string, Facet>([['type', plain(handler.type)]]);
  if (asksModel(node, handler)) {
    const { model, provider, reasoningEffort } = modelChoice(graph, node);
    const fallbacks = modelFallbacks(graph, node).map((one) => `${one.provider}/${one.model}`);
    add(facets, 'llm_model', model);
    add(facets, 'llm_provider', provider);
    add(facets, 'reasoning_effort', reasoningEffort === 'high' ? undefined : reasoningEffort);
    add(facets, 'llm_fallback', fallbacks.length === 0 ? undefined : fallbacks.join(', '));
  }
  const { retry, continuesOnFailure } = programNode(graph, node, handler, undefined);
  if (retry.maxAttempts > 1) {
    const { initialDelayMs, factor, maxDelayMs } = retry.backoff;
    add(facets, 'attempts', String(retry.maxAttempts));
    add(facets, 'backoff', `${initialDelayMs} ms, × ${factor}, at most ${maxDelayMs} ms`);
    add(facets, 'retries failures', retry.retriesFailure ? 'yes' : undefined);
  }
  add(facets, 'on_failure', continuesOnFailure ? 'continue' : undefined);
  if (hasProperties && node.classes.length > 0) add(facets, 'class', [...node.classes].sort().join(', '));
  addAttributes(facets, 'node', node.attributes.values());
  if (facets.get('label')?.key === node.id) facets.delete('label');
  return facets;
}

/** Facets of an edge. */
export function edgeFacets(edge: Edge): Facets {
  const facets = new Map<string, Facet>();
  const written = edge.attributes.get('condition');
  const text = written === undefined ? '' : attributeText(written.value).trim();
  if (text !== '') facets.set('condition', { text, key: conditionKey(conditionOf(edge).condition) ?? text });
  addAttributes(facets, 'edge', edge.attributes.values());
  return facets;
}

function addAttributes(
  facets: Map<string, Facet>,
  owner: 'graph' | 'node' | 'edge',
  attributes: Iterable<Attribute>,
): void {
  for (const { name, value } of attributes) {
    if (comparedByEffect.has(name)) continue;
    const definition = attributeDefinition(owner, name);
    if (definition === undefined && isGraphvizAttribute(name)) continue;
    const key = keyOf(value);
    const usual = definition !== undefined && 'default' in definition ? definition.default : undefined;
    if (key === '' || (usual !== undefined && key === keyOf(usual))) continue;
    facets.set(name, { text: attributeText(value), key });
  }
}

function keyOf(value: Attribute['value']): string {
  return typeof value === 'object' ? `${value.milliseconds} ms` : String(value);
}

/** The condition without its positions, and with `and` and `or` in one order. */
function conditionKey(condition: unknown): string | undefined {
  return condition === undefined ? undefined : JSON.stringify(withoutSpans(condition));
}

function withoutSpans(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpans);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'span') return [];
    const plainInner = withoutSpans(inner);
    if (name !== 'operands' || !Array.isArray(plainInner)) return [[name, plainInner] as const];
    const sorted = plainInner.map((one) => JSON.stringify(one)).sort();
    return [[name, sorted] as const];
  });
  return Object.fromEntries(entries);
}

function plain(text: string): Facet {
  return { text, key: text };
}

function add(facets: Map<string, Facet>, name: string, text: string | undefined): void {
  if (text !== undefined) facets.set(name, plain(text));
}
