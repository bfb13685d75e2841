import { diffWordsWithSpace } from 'diff';
import type { Edge } from '../graph/graph.js';
import { outgoingEdges } from '../graph/queries.js';
import { type ComparedPipeline, edgeFacets, type Facets, nodeFacets, pipelineFacets } from './facets.js';
import { matchNodes } from './match-nodes.js';

/** Something that an element said before, or says now. */
export interface FacetChange {
  readonly name: string;
  /** Undefined for something that was not said. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Words of the two texts, if both have several. */
  readonly words: readonly WordChange[] | undefined;
}

export interface WordChange {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

export interface NodeChange {
  readonly id: string;
  /** Its old id, if it was renamed. */
  readonly was: string | undefined;
  readonly changes: readonly FacetChange[];
}

/** An edge by its ends: of a removed one the old ids, else the new ones. */
export interface EdgeName {
  readonly from: string;
  readonly to: string;
  /** Index in its pipeline. */
  readonly index: number;
  readonly label: string | undefined;
  readonly condition: string | undefined;
}

export interface EdgeChange extends EdgeName {
  /** Index in the old pipeline. */
  readonly was: number;
  /** New id of the node that it led to, if that is another one. */
  readonly led_to: string | undefined;
  readonly changes: readonly FacetChange[];
}

/** Differences of meaning between two pipelines. */
export interface PipelineDifference {
  readonly pipeline: readonly FacetChange[];
  readonly nodes: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly renamed: readonly { readonly from: string; readonly to: string }[];
    readonly changed: readonly NodeChange[];
  };
  readonly edges: {
    readonly added: readonly EdgeName[];
    readonly removed: readonly EdgeName[];
    readonly changed: readonly EdgeChange[];
  };
  /** New ids of the nodes of the old pipeline that are still there. */
  readonly matched: ReadonlyMap<string, string>;
}

/** True if two pipelines mean the same. */
export function isEqual({ pipeline, nodes, edges }: Omit<PipelineDifference, 'matched'>): boolean {
  return [
    pipeline,
    ...[nodes.added, nodes.removed, nodes.renamed, nodes.changed],
    ...[edges.added, edges.removed, edges.changed],
  ].every((list) => list.length === 0);
}

/** Compares two pipelines by what they mean: as they are after the transforms, with defaults, models and retries as they come out. */
export function comparePipelines(before: ComparedPipeline, after: ComparedPipeline): PipelineDifference {
  const matched = matchNodes(before, after);
  const taken = new Set(matched.values());
  const edges = compareEdges(before, after, matched);
  const reordered = new Set(orderChanges(before, after, matched, edges.pairs));
  const changed = [...matched].flatMap(([from, to]): readonly NodeChange[] => {
    const [old, now] = [before.graph.nodes.get(from), after.graph.nodes.get(to)];
    if (old === undefined || now === undefined) return [];
    const changes = [
      ...compareFacets(translated(nodeFacets(before, old), matched), nodeFacets(after, now)),
      ...(reordered.has(to) ? [orderChange(before, after, from, to)] : []),
    ];
    return changes.length === 0 ? [] : [{ id: to, was: from === to ? undefined : from, changes }];
  });
  return {
    pipeline: compareFacets(translated(pipelineFacets(before), matched), pipelineFacets(after)),
    nodes: {
      added: [...after.graph.nodes.keys()].filter((id) => !taken.has(id)),
      removed: [...before.graph.nodes.keys()].filter((id) => !matched.has(id)),
      renamed: [...matched].flatMap(([from, to]) => (from === to ? [] : [{ from, to }])),
      changed,
    },
    edges: { added: edges.added, removed: edges.removed, changed: edges.changed },
    matched,
  };
}

/** Attributes that name nodes. */
const namingNodes: ReadonlySet<string> = new Set(['retry_target', 'fallback_retry_target', 'join']);

/** Facets of the old pipeline, with the new ids of nodes that were renamed. */
function translated(facets: Facets, matched: ReadonlyMap<string, string>): Facets {
  return new Map(
    [...facets].map(([name, facet]) => {
      const renamed = namingNodes.has(name) ? matched.get(facet.key) : undefined;
      return [name, renamed === undefined || renamed === facet.key ? facet : { text: renamed, key: renamed }];
    }),
  );
}

function compareFacets(before: Facets, after: Facets): readonly FacetChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name): readonly FacetChange[] => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.key === now?.key) return [];
    return [{ name, before: old?.text, after: now?.text, words: wordChanges(old?.text, now?.text) }];
  });
}

/** Texts of which the words are compared. */
const leastWords = 3;

function wordChanges(
  before: string | undefined,
  after: string | undefined,
): readonly WordChange[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  if (Math.max(...[before, after].map((text) => text.trim().split(/\s+/).length)) < leastWords)
    return undefined;
  return diffWordsWithSpace(before, after).map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}

interface EdgePair {
  readonly old: Edge;
  readonly now: Edge;
}

interface EdgeDifference {
  readonly added: readonly EdgeName[];
  readonly removed: readonly EdgeName[];
  readonly changed: readonly EdgeChange[];
  readonly pairs: readonly EdgePair[];
}

/**
 * Edges between the same nodes are the same, those that say the same first. An edge that leads elsewhere with the same label and
 * condition is one that was changed.
 */
function compareEdges(
  before: ComparedPipeline,
  after: ComparedPipeline,
  matched: ReadonlyMap<string, string>,
): EdgeDifference {
  const open = new Set(before.graph.edges);
  const rest = new Set(after.graph.edges);
  const pairs: EdgePair[] = [];
  const pair = (isSame: (old: Edge, now: Edge) => boolean): void => {
    const byStart = new Map<string, Edge[]>();
    for (const now of rest) byStart.set(now.from, [...(byStart.get(now.from) ?? []), now]);
    for (const old of open) {
      const here = byStart.get(matched.get(old.from) ?? '') ?? [];
      const found = here.find((now) => rest.has(now) && isSame(old, now));
      if (found === undefined) continue;
      pairs.push({ old, now: found });
      open.delete(old);
      rest.delete(found);
    }
  };
  const leadsTo = (old: Edge, now: Edge): boolean => matched.get(old.to) === now.to;
  pair((old, now) => leadsTo(old, now) && compareFacets(edgeFacets(old), edgeFacets(now)).length === 0);
  pair(leadsTo);
  pair((old, now) => isMarked(old) && compareFacets(edgeFacets(old), edgeFacets(now)).length === 0);
  return {
    added: [...rest].map(nameOf),
    removed: [...open].map(nameOf),
    changed: pairs.flatMap(({ old, now }): readonly EdgeChange[] => {
      const changes = compareFacets(edgeFacets(old), edgeFacets(now));
      const led_to = leadsTo(old, now) ? undefined : (matched.get(old.to) ?? old.to);
      if (changes.length === 0 && led_to === undefined) return [];
      return [{ ...nameOf(now), was: old.index, led_to, changes }];
    }),
    pairs,
  };
}

/** True for an edge that is known by what it says. */
function isMarked(edge: Edge): boolean {
  const facets = edgeFacets(edge);
  return facets.has('label') || facets.has('condition');
}

function nameOf(edge: Edge): EdgeName {
  const facets = edgeFacets(edge);
  const { from, to, index } = edge;
  return { from, to, index, label: facets.get('label')?.text, condition: facets.get('condition')?.text };
}

/** Types of nodes for which the order of their edges matters: that of their branches, and of their choices. */
const orderedTypes: ReadonlySet<string> = new Set(['parallel', 'wait.human']);

/** New ids of nodes whose edges are the same ones in another order. */
function* orderChanges(
  before: ComparedPipeline,
  after: ComparedPipeline,
  matched: ReadonlyMap<string, string>,
  pairs: readonly EdgePair[],
): Iterable<string> {
  const partners = new Map(pairs.map(({ old, now }) => [old, now]));
  for (const [from, to] of matched) {
    const node = after.graph.nodes.get(to);
    if (node === undefined || !orderedTypes.has(nodeFacets(after, node).get('type')?.key ?? '')) continue;
    const indices = outgoingEdges(before.graph, from).flatMap((edge) => partners.get(edge)?.index ?? []);
    if (indices.some((index, place) => place > 0 && index < (indices[place - 1] ?? 0))) yield to;
  }
}

function orderChange(
  before: ComparedPipeline,
  after: ComparedPipeline,
  from: string,
  to: string,
): FacetChange {
  const order = ({ graph }: ComparedPipeline, id: string): string =>
    outgoingEdges(graph, id)
      .map((edge) => edge.to)
      .join(', ');
  return { name: 'order of edges', before: order(before, from), after: order(after, to), words: undefined };
}
