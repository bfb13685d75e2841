import { excerpt } from '../../diagnostic/excerpt.js';
import { lineBreakOf } from '../../diagnostic/line-break.js';
import type { Edge, Graph, Node } from '../../graph/graph.js';
import type { Finding, LintRule } from '../rule.js';

/** SEMANTICS 7: an id that edges mention as a source and as a target is a node, though nobody declared it. */
export const implicitNode: LintRule = {
  name: 'implicit_node',
  severity: 'warning',
  fixable: true,
  summary: 'Every node is declared.',
  rationale:
    'A node that only edges mention becomes an LLM stage whose prompt is its own name, which is seldom what was meant. Declare it and say in `prompt` what it is to do.',
  provesAbsence: true,
  *apply(graph, { source }) {
    const lineBreak = lineBreakOf(source.text);
    for (const { node, edge, statementStart } of firstMentions(graph)) {
      yield undeclared(
        node,
        edge,
        `${node.id}${separatorAt(statementStart, source.text, lineBreak)}`,
        statementStart,
      );
    }
  },
};

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
  /** Where the statement begins: a chain is one statement, and nothing may stand inside of it. */
  readonly statementStart: number;
}

/** The first edge that mentions each undeclared node: a declaration in front of it is in the same scope (§2.11). */
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

/** A line of its own with the same indentation, where the statement has a line of its own. */
function separatorAt(offset: number, text: string, lineBreak: string): string {
  let lineStart = offset;
  while (text[lineStart - 1] === ' ' || text[lineStart - 1] === '\t') lineStart -= 1;
  const hasOwnLine = lineStart === 0 || text[lineStart - 1] === '\n';
  return hasOwnLine ? `${lineBreak}${text.slice(lineStart, offset)}` : '; ';
}
