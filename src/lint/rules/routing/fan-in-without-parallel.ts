import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { joinPoints } from '../../../graph/flow/join-points.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { nodesHandledBy, outgoingEdges } from '../../../graph/queries.js';
import { handlersInDoubt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 53a: a fan-in chooses among the results of a parallel node, and consumes them. */
export const fanInWithoutParallel: LintRule = {
  name: 'fan_in_without_parallel',
  severity: 'warning',
  summary: 'Every fan-in has a parallel node before it whose results it can choose from.',
  rationale:
    'A fan-in (`shape=tripleoctagon`) fails if there are no results of parallel branches. To join ordinary paths, use any other stage. A fan-in also consumes the results, so a second fan-in needs its own parallel node.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const fanIns = new Map(
      nodesHandledBy(graph, handlerTypes, ({ joins }) => joins).map((node) => [node.id, node]),
    );
    if (fanIns.size === 0) return;
    const parallels = nodesHandledBy(graph, handlerTypes, ({ forks }) => forks);
    // One of these may be meant for a parallel node.
    const inDoubt = handlersInDoubt(graph, handlerTypes);
    // The branches of a list may contain a fan-in of an inner parallel node (SEMANTICS 106).
    const joins = [...joinPoints(graph, handlerTypes).values()];
    const begins = [...parallels, ...inDoubt].map(({ id }) => id);
    const reached = reachedWithResults(graph, [...begins, ...joins], fanIns);
    for (const node of fanIns.values()) {
      if (reached.has(node.id)) continue;
      yield {
        message: `fan-in ${excerpt(node.id)} always fails: no path leads to it from a parallel node, except through another fan-in`,
        span: node.span,
        nodeId: node.id,
        fix: {
          title: 'make it an ordinary stage, or use `shape=component` for the node where the paths split',
          edits: [],
        },
      };
    }
  },
};

/** Nodes that the results of a parallel node may reach: all after it, up to the first fan-in. */
function reachedWithResults(
  graph: Graph,
  begins: readonly string[],
  fanIns: ReadonlyMap<string, Node>,
): ReadonlySet<string> {
  const reached = new Set(begins);
  for (const id of reached) {
    const node = graph.nodes.get(id);
    if (node === undefined || fanIns.has(id)) continue;
    for (const { to } of outgoingEdges(graph, id)) reached.add(to);
    reached.add(nodeAttribute(node, 'retry_target'));
    reached.add(nodeAttribute(node, 'fallback_retry_target'));
  }
  return reached;
}
