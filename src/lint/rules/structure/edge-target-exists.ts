import { excerpt } from '../../../diagnostic/excerpt.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import type { Edge, Graph } from '../../../graph/graph.js';
import { exitNodes, startNodes } from '../../../graph/queries.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

/** §7.2 `edge_target_exists`, for both ends of an edge; implicit nodes have their own rule (SEMANTICS 7). */
export const edgeTargetExists: LintRule = {
  name: 'edge_target_exists',
  severity: 'error',
  summary: 'Both ends of an edge are nodes.',
  rationale:
    'An undeclared id that edges use only as a target, or only as a source, is almost always a typo, and must not become a stage that sends its own name to a model. Correct the id, or declare the node.',
  provesAbsence: true,
  *apply(graph) {
    if (adjacencyOf(graph).isWhole) return;
    const suggestTarget = nameSuggester([...graph.nodes.keys(), ...undeclared(graph, 'from')]);
    const suggestSource = nameSuggester([...graph.nodes.keys(), ...undeclared(graph, 'to')]);
    for (const edge of graph.edges) {
      if (!graph.nodes.has(edge.from)) yield unknownEnd(graph, edge, 'from', suggestSource(edge.from));
      if (!graph.nodes.has(edge.to)) yield unknownEnd(graph, edge, 'to', suggestTarget(edge.to));
    }
  },
};

function undeclared(graph: Graph, end: 'from' | 'to'): Iterable<string> {
  return new Set(graph.edges.map((edge) => edge[end]).filter((id) => !graph.nodes.has(id)));
}

function unknownEnd(graph: Graph, edge: Edge, end: 'from' | 'to', suggestion: string | undefined): Finding {
  const id = edge[end];
  const problem =
    end === 'to'
      ? `the edge leads to ${excerpt(id)}, which is not a node`
      : `the edge begins at ${excerpt(id)}, which is not a node and which no edge leads to`;
  return {
    message: suggestion === undefined ? problem : `${problem} (did you mean ${excerpt(suggestion)}?)`,
    span: end === 'to' ? edge.toSpan : edge.fromSpan,
    edge: [edge.from, edge.to],
    fix: {
      title:
        suggestion === undefined ? `declare it: \`${declarationOf(graph, id)}\`` : `write \`${suggestion}\``,
      edits: [],
    },
  };
}

/** Declaration for the node: a start or an exit if its id is the name of one and there is none. */
function declarationOf(graph: Graph, id: string): string {
  const isStart = /^start$/i.test(id) && startNodes(graph).length === 0;
  if (isStart) return `${id} [shape=Mdiamond]`;
  const isExit = /^(?:exit|end|done)$/i.test(id) && exitNodes(graph).length === 0;
  return isExit ? `${id} [shape=Msquare]` : `${id} [prompt="…"]`;
}
