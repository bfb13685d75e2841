import { excerpt } from '../../diagnostic/excerpt.js';
import { adjacencyOf } from '../../graph/adjacency.js';
import { attributeText, type Edge, type Graph } from '../../graph/graph.js';
import { handlerTypeOf } from '../../graph/queries.js';
import { misspelt } from '../misspelt.js';
import type { Finding, LintContext, LintRule } from '../rule.js';

/** SEMANTICS 17f: two nodes may have several edges between them, but two equal ones are one too many. */
export const duplicateEdge: LintRule = {
  name: 'duplicate_edge',
  severity: 'warning',
  summary: 'No edge is written twice.',
  rationale:
    'Of two edges with the same ends, the same condition and the same label only one can ever be taken, and a human gate offers the same choice twice. Usually a line was copied and its condition, its label or its target was to be changed. Correct the second edge, or remove it. A parallel node runs each of its edges as a branch of its own, so that it may have two that are equal.',
  *apply(graph, context) {
    if (!hasSeveralBetween(graph)) return;
    const pairs = severalBetween(graph);
    if (pairs.size === 0) return;
    const { edgeMeans } = misspelt(graph);
    const first = new Map<string, Edge>();
    for (const edge of graph.edges) {
      if (!pairs.has(endsOf(edge)) || isBranch(graph, edge, context)) continue;
      if (edgeMeans(edge, 'condition') || edgeMeans(edge, 'label')) continue;
      const key = [edge.from, edge.to, textOf(edge, 'condition'), textOf(edge, 'label')].join('\n');
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, edge);
      else yield finding(edge, earlier);
    }
  },
};

/** Whether any two edges have the same ends: in most graphs, none have. */
function hasSeveralBetween(graph: Graph): boolean {
  const { outgoing, outgoingOfOthers } = adjacencyOf(graph);
  const hasTwins = (edges: readonly Edge[]): boolean =>
    edges.length > 1 && new Set(edges.map(({ to }) => to)).size < edges.length;
  return outgoing.some(hasTwins) || [...outgoingOfOthers.values()].some(hasTwins);
}

/** The ends that more than one edge has. */
function severalBetween(graph: Graph): ReadonlySet<string> {
  const seen = new Set<string>();
  const several = new Set<string>();
  for (const edge of graph.edges) {
    const ends = endsOf(edge);
    if (seen.has(ends)) several.add(ends);
    else seen.add(ends);
  }
  return several;
}

function endsOf({ from, to }: Edge): string {
  return `${from} ${to}`;
}

function isBranch(graph: Graph, { from }: Edge, { handlerTypes }: LintContext): boolean {
  const node = graph.nodes.get(from);
  return node !== undefined && handlerTypeOf(graph, node, handlerTypes).forks;
}

function textOf({ attributes }: Edge, name: 'condition' | 'label'): string {
  const attribute = attributes.get(name);
  return attribute === undefined ? '' : attributeText(attribute.value).trim();
}

function finding(edge: Edge, earlier: Edge): Finding {
  const label = textOf(edge, 'label');
  const condition = textOf(edge, 'condition');
  const same = condition !== '' ? ', with the same condition' : label !== '' ? ', with the same label' : '';
  return {
    message: `the edge from ${excerpt(edge.from)} to ${excerpt(edge.to)} is there twice${same}; only one of the two can ever be taken`,
    span: edge.span,
    edge: [edge.from, edge.to],
    related: [{ span: earlier.span, message: 'the other one' }],
    fix: { title: 'remove it, or correct its condition, its label or its target', edits: [] },
  };
}
