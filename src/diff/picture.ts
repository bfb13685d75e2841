import type { Edge, Graph, Node } from '../graph/graph.js';
import type { ChangeOverlay, ElementChange } from '../render/change-overlay.js';
import type { FacetChange, PipelineDifference } from './compare-pipelines.js';

/** A graph with the elements of two versions, and what differs. */
export interface ComparedPicture {
  readonly graph: Graph;
  readonly changes: ChangeOverlay;
}

/** Picture of both versions in one: the new one, with what was removed from the old one. */
export function comparedPicture(
  before: Graph,
  after: Graph,
  difference: PipelineDifference,
): ComparedPicture {
  const { nodes, edges, matched } = difference;
  const nodeChanges = new Map<string, ElementChange>();
  const edgeChanges = new Map<number, ElementChange>();
  for (const id of nodes.added) nodeChanges.set(id, { kind: 'added', words: '' });
  for (const { from, to } of nodes.renamed) nodeChanges.set(to, { kind: 'changed', words: `was ${from}` });
  for (const { id, was, changes } of nodes.changed)
    nodeChanges.set(id, {
      kind: 'changed',
      words: [...(was === undefined ? [] : [`was ${was}`]), ...namesOf(changes)].join(', '),
    });
  for (const { index } of edges.added) edgeChanges.set(index, { kind: 'added', words: '' });
  for (const { index, led_to, changes } of edges.changed) {
    const words = [...(led_to === undefined ? [] : [`led to ${led_to}`]), ...namesOf(changes)];
    edgeChanges.set(index, { kind: 'changed', words: words.join(', ') });
  }
  const removed = nodes.removed.flatMap((id): readonly (readonly [string, Node])[] => {
    const node = before.nodes.get(id);
    if (node === undefined) return [];
    nodeChanges.set(id, { kind: 'removed', words: '' });
    // The boxes of the new version are others.
    return [[id, { ...node, subgraph: undefined } as Node]];
  });
  const removedEdges = edges.removed.flatMap(({ index: old }, place): readonly Edge[] => {
    const edge = before.edges[old];
    if (edge === undefined) return [];
    const index = after.edges.length + place;
    edgeChanges.set(index, { kind: 'removed', words: '' });
    return [
      { ...edge, index, from: matched.get(edge.from) ?? edge.from, to: matched.get(edge.to) ?? edge.to },
    ];
  });
  return {
    graph: {
      ...after,
      nodes: new Map([...after.nodes, ...removed]),
      edges: [...after.edges, ...removedEdges],
    },
    changes: { caption: captionOf(nodeChanges, edgeChanges), nodes: nodeChanges, edges: edgeChanges },
  };
}

function namesOf(changes: readonly FacetChange[]): readonly string[] {
  return changes.map(({ name }) => name);
}

function captionOf(
  nodes: ReadonlyMap<string, ElementChange>,
  edges: ReadonlyMap<number, ElementChange>,
): string {
  const count = (all: Iterable<ElementChange>, kind: ElementChange['kind']): number =>
    [...all].filter((one) => one.kind === kind).length;
  const parts = (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const [ofNodes, ofEdges] = [count(nodes.values(), kind), count(edges.values(), kind)];
    if (ofNodes + ofEdges === 0) return [];
    const words = [
      ...(ofNodes > 0 ? [`${ofNodes} ${ofNodes === 1 ? 'stage' : 'stages'}`] : []),
      ...(ofEdges > 0 ? [`${ofEdges} ${ofEdges === 1 ? 'edge' : 'edges'}`] : []),
    ];
    return [`${kind}: ${words.join(', ')}`];
  });
  return parts.length === 0 ? 'no difference in the graph' : parts.join(' · ');
}
