import { excerpt } from '../../../diagnostic/excerpt.js';
import { graphAttribute, nodeAttribute } from '../../../graph/attributes.js';
import type { Graph, Node } from '../../../graph/graph.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { misspelt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `goal_gate_has_retry`; a target of the graph serves every gate (§3.4, SEMANTICS 43). */
export const goalGateHasRetry: LintRule = {
  name: 'goal_gate_has_retry',
  severity: 'warning',
  summary: 'Every goal gate has a target to go back to.',
  rationale:
    'When the exit is reached while a goal gate is not satisfied, the run jumps to the retry target of the gate, or of the graph. Without one, it fails at the very end. Set `retry_target` on the gate or on the graph.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const { graphMeans, nodeMeans } = misspelt(graph);
    const inherits = (node: Node) => handlerTypeOf(graph, node, handlerTypes).inheritsOutcome;
    if (hasRetryTarget(graph, graphAttribute) || targetNames.some(graphMeans)) return;
    for (const node of attributeOwners(graph).nodesWith('goal_gate')) {
      if (!nodeAttribute(node, 'goal_gate') || hasRetryTarget(node, nodeAttribute)) continue;
      if (targetNames.some((name) => nodeMeans(node, name))) continue;
      yield {
        message: `goal gate ${excerpt(node.id)} has no retry target, and neither does the graph: unless ${inherits(node) ? 'the outcome that it passes on is a success' : 'it succeeds'}, the run fails at the exit`,
        span: gateSpan(node),
        nodeId: node.id,
        fix: { title: 'add `retry_target` to the node or to the graph', edits: [] },
      };
    }
  },
};

const targetNames = ['retry_target', 'fallback_retry_target'] as const;

type TargetName = (typeof targetNames)[number];

function hasRetryTarget<Owner extends Graph | Node>(
  owner: Owner,
  read: (owner: Owner, name: TargetName) => string,
): boolean {
  return read(owner, 'retry_target') !== '' || read(owner, 'fallback_retry_target') !== '';
}

/** Span of `goal_gate=true` if the node has it, else of the node. */
function gateSpan(node: Node) {
  const attribute = node.attributes.get('goal_gate');
  if (attribute?.origin !== 'explicit') return node.span;
  return { start: attribute.keySpan.start, end: attribute.valueSpan.end };
}
