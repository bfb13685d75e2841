import type { TextEdit } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { lineBreakOf } from '../../../diagnostic/line-break.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import type { Edge, Graph, Node, Subgraph } from '../../../graph/graph.js';
import { startNodes } from '../../../graph/queries.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * SEMANTICS 7: an id that edges mention as a source and as a target is a node, even without a declaration.
 */
export const implicitNode: LintRule = {
  name: 'implicit_node',
  severity: 'warning',
  fixable: true,
  summary: 'Every node is declared.',
  rationale:
    'A node that only edges mention becomes an LLM stage with its own name as the prompt, which is rarely intended. Declare it with a `prompt`; or, if it is a misspelling of a declared node, correct it.',
  provesAbsence: true,
  *apply(graph, { source }) {
    if (!hasUndeclared(graph)) return;
    let suggest: ((id: string) => string | undefined) | undefined;
    const lineBreak = lineBreakOf(source.text);
    const blocks = namedBlocks(graph);
    for (const { node, edge, statementStart } of firstMentions(graph)) {
      const block = blocks.get(node.id);
      if (block !== undefined) {
        yield blockAsNode(node, edge, block);
        continue;
      }
      suggest ??= nameSuggester(nodesWithoutWayIn(graph));
      const suggestion = suggest(node.id);
      if (suggestion !== undefined) yield misspelt(graph, node, edge, suggestion);
      else
        yield undeclared(
          node,
          edge,
          `${node.id}${separatorAt(statementStart, source.text, lineBreak)}`,
          statementStart,
        );
    }
  },
};

function hasUndeclared(graph: Graph): boolean {
  return adjacencyOf(graph).nodes.some(({ declared }) => !declared);
}

function blockAsNode(node: Node, edge: Edge, { span, nodeIds: [first] }: Subgraph): Finding {
  return {
    message: `${excerpt(node.id)} is a subgraph, but edges join nodes: as a node it is never declared, so it is an LLM stage with its name as the prompt`,
    span: node.span,
    nodeId: node.id,
    edge: [edge.from, edge.to],
    related: [{ span, message: 'the subgraph' }],
    fix: {
      title: `name a node of the subgraph${first === undefined ? '' : `, such as \`${first}\``}`,
      edits: [],
    },
  };
}

function namedBlocks({ subgraphs }: Graph): ReadonlyMap<string, Subgraph> {
  return new Map(subgraphs.flatMap((one) => (one.name === undefined ? [] : [[one.name, one] as const])));
}

/** Declared nodes without an incoming edge whose name resembles an undeclared one: they are the same. */
function* nodesWithoutWayIn(graph: Graph): Iterable<string> {
  const hasWayIn = new Set(graph.edges.map(({ to }) => to));
  for (const { id } of startNodes(graph)) hasWayIn.add(id);
  for (const { id, declared } of graph.nodes.values()) if (declared && !hasWayIn.has(id)) yield id;
}

function misspelt(graph: Graph, node: Node, edge: Edge, suggestion: string): Finding {
  return {
    message: `node ${excerpt(node.id)} is never declared, so it is an LLM stage with its name as the prompt (did you mean ${excerpt(suggestion)}, which no edge leads to?)`,
    span: node.span,
    nodeId: node.id,
    edge: [edge.from, edge.to],
    fix: { title: `write \`${suggestion}\``, edits: renameInEdges(graph, node.id, suggestion), unsafe: true },
  };
}

function renameInEdges({ edges }: Graph, id: string, text: string): readonly TextEdit[] {
  // In a chain, the end of one edge is the beginning of the next.
  const places = new Map<number, TextEdit>();
  for (const { from, to, fromSpan, toSpan } of edges) {
    if (from === id) places.set(fromSpan.start, { span: fromSpan, text });
    if (to === id) places.set(toSpan.start, { span: toSpan, text });
  }
  return [...places.values()];
}

function undeclared(node: Node, edge: Edge, declaration: string, place: number): Finding {
  return {
    message: `node ${excerpt(node.id)} is never declared, so it is an LLM stage with its name as the prompt`,
    span: node.span,
    nodeId: node.id,
    edge: [edge.from, edge.to],
    fix: {
      title: `declare it: \`${node.id} [prompt="…"]\``,
      edits: [{ span: { start: place, end: place }, text: declaration }],
    },
  };
}

interface Mention {
  readonly node: Node;
  readonly edge: Edge;
  /** Beginning of the statement: a chain is one statement, and a declaration cannot be inserted into it. */
  readonly statementStart: number;
}

/**
 * First edge that mentions each undeclared node: a declaration in front of it is in the same scope (§2.11).
 */
function* firstMentions(graph: Graph): Iterable<Mention> {
  const seen = new Set<string>();
  let statementStart = 0;
  let previous: Edge | undefined;
  for (const edge of graph.edges) {
    const continuesChain = previous?.toSpan.start === edge.fromSpan.start;
    if (!continuesChain) statementStart = edge.fromSpan.start;
    previous = edge;
    for (const id of [edge.from, edge.to]) {
      const node = graph.nodes.get(id);
      if (node === undefined || node.declared || seen.has(id)) continue;
      seen.add(id);
      yield { node, edge, statementStart };
    }
  }
}

/** Separator after a declaration: a new line with the same indentation if the statement begins its line. */
function separatorAt(offset: number, text: string, lineBreak: string): string {
  let lineStart = offset;
  while (text[lineStart - 1] === ' ' || text[lineStart - 1] === '\t') lineStart -= 1;
  const hasOwnLine = lineStart === 0 || text[lineStart - 1] === '\n';
  return hasOwnLine ? `${lineBreak}${text.slice(lineStart, offset)}` : '; ';
}
