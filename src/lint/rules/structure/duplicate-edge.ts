import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Span } from '../../../diagnostic/source.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import { type Attribute, attributeText, type Edge, type Graph } from '../../../graph/graph.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { misspelt } from '../../misspelt.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 17f: two nodes may have several edges between them, but two equal ones are one too many. */
export const duplicateEdge: LintRule = {
  name: 'duplicate_edge',
  severity: 'warning',
  fixable: true,
  summary: 'No edge is written twice.',
  rationale:
    'Of two edges with the same ends, condition and label, only one can ever be taken, and a human gate offers the same choice twice. Usually a line was copied but its condition, label or target not changed. Correct the second edge, or remove it. A parallel node runs each of its edges as a separate branch, so it may have two equal edges.',
  tag: 'unnecessary',
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
      const earlierEdge = first.get(key);
      if (earlierEdge === undefined) first.set(key, edge);
      else yield finding(edge, earlierEdge, removalOf(edge, earlierEdge, graph, context));
    }
  },
};

/** True if any two edges have the same ends, which is rare. */
function hasSeveralBetween(graph: Graph): boolean {
  const { outgoing, outgoingOfOthers } = adjacencyOf(graph);
  const hasTwins = (edges: readonly Edge[]): boolean =>
    edges.length > 1 && new Set(edges.map(({ to }) => to)).size < edges.length;
  return outgoing.some(hasTwins) || [...outgoingOfOthers.values()].some(hasTwins);
}

/** Pairs of ends with more than one edge. */
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

/** Maximum length of a statement that is removed automatically; a longer one was written on purpose. */
const longestStatement = 2000;

const plainEdge = /^\w+\s*->\s*\w+$/;
/** An attribute block without comments, and the end of the statement. */
const restOfStatement = /^[^\S\n]*(?:\[(?:[^\]["/]|"(?:[^"\\]|\\[\s\S])*"|\/(?![/*]))*\])?(?:[^\S\n]*;)?/;
/** Text that belongs to the statement, but could not be read as its rest. */
const goesOn = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*(?:\[|-)/;
const restOfLine = /^[^\S\n]*\n/;

/**
 * Span of the statement of an edge that equals an earlier one in everything, with its line if nothing else
 * is on it; undefined if it is a part of a chain, or has a comment inside.
 */
function removalOf(
  edge: Edge,
  earlierEdge: Edge,
  { edges }: Graph,
  { source: { text } }: LintContext,
): Span | undefined {
  const { start, end: idEnd } = edge.span;
  const isChained =
    edges[edge.index - 1]?.toSpan.start === start ||
    edges[edge.index + 1]?.fromSpan.start === edge.toSpan.start;
  if (isChained || !haveSameAttributes(edge, earlierEdge) || !plainEdge.test(text.slice(start, idEnd))) {
    return undefined;
  }
  const textAfter = text.slice(idEnd, idEnd + longestStatement);
  const length = restOfStatement.exec(textAfter)?.[0].length ?? 0;
  const rest = textAfter.slice(length);
  if (goesOn.test(rest) || (rest === '' && textAfter.length === longestStatement)) return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = restOfLine.exec(rest)?.[0].length;
  const isAlone = lineEnd !== undefined && text.slice(lineStart, start).trim() === '';
  return isAlone ? { start: lineStart, end: idEnd + length + lineEnd } : { start, end: idEnd + length };
}

function haveSameAttributes({ attributes: ones }: Edge, { attributes: others }: Edge): boolean {
  const isSame = ({ name, value }: Attribute): boolean => {
    const other = others.get(name);
    return other !== undefined && attributeText(value) === attributeText(other.value);
  };
  return ones.size === others.size && [...ones.values()].every(isSame);
}

function finding(edge: Edge, earlierEdge: Edge, removal: Span | undefined): Finding {
  const label = textOf(edge, 'label');
  const condition = textOf(edge, 'condition');
  const sameness =
    condition !== '' ? ', with the same condition' : label !== '' ? ', with the same label' : '';
  return {
    message: `the edge from ${excerpt(edge.from)} to ${excerpt(edge.to)} exists twice${sameness}; only one of the two can ever be taken`,
    span: edge.span,
    edge: [edge.from, edge.to],
    related: [{ span: earlierEdge.span, message: 'the other one' }],
    fix:
      removal === undefined
        ? { title: 'remove it, or correct its condition, its label or its target', edits: [] }
        : { title: 'remove it', edits: [{ span: removal, text: '' }] },
  };
}
