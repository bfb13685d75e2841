import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import { adjacencyOf } from '../../../graph/flow/adjacency.js';
import { usableJumpTargets } from '../../../graph/flow/jump-targets.js';
import type { Edge, Graph, Node } from '../../../graph/graph.js';
import type { HandlerType } from '../../../graph/handler-types.js';
import { conditionOf, exitNodes, handlerTypeOf, outgoingEdges } from '../../../graph/queries.js';
import { retryPolicyOf } from '../../../graph/retry-policy.js';
import { attributeOwners } from '../../attribute-owners.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 20, 24: one layer retries, and not two that multiply. */
export const doubleRetry: LintRule = {
  name: 'double_retry',
  severity: 'info',
  summary: 'A failed stage is retried in only one way.',
  rationale:
    'A stage with `max_retries=3` makes four attempts. If its failure then leads back to itself, by an edge on `outcome=fail` or by its own `retry_target`, those four attempts repeat until `max_steps` ends the run. A command that retries by itself (`curl --retry 5`) also multiplies the attempts. Choose one way: `max_retries` waits longer before each attempt, is recorded in the journal and is bounded; a path back needs `max_visits`, or should first lead to a stage that changes something.',
  *apply(graph, { handlerTypes }) {
    const exitId = exitNodes(graph)[0]?.id ?? '';
    const mayLeadBack = wayBackTest(graph);
    for (const node of attributeOwners(graph).nodesWith('max_retries')) {
      const handler = handlerTypeOf(graph, node, handlerTypes);
      if (handler.type !== 'tool' && !mayLeadBack(node)) continue;
      const retries = retriesOf(graph, node, handler);
      if (retries === 0) continue;
      const finding = wayBack(graph, node, exitId, retries) ?? ownRetries(node, handler, retries);
      if (finding !== undefined) yield { ...finding, nodeId: node.id };
    }
  },
};

/** Returns a test for nodes with a retry target or an edge to themselves; the others need no closer check. */
function wayBackTest(graph: Graph): (node: Node) => boolean {
  const { nodesWith } = attributeOwners(graph);
  const { sources, targets } = adjacencyOf(graph);
  const loops = graph.edges.filter((_, index) => sources[index] === targets[index]);
  const ids = [...nodesWith('retry_target'), ...nodesWith('fallback_retry_target')].map(({ id }) => id);
  const may = new Set([...ids, ...loops.map(({ from }) => from)]);
  return ({ id }) => may.size > 0 && may.has(id);
}

/** Number of retries of a plain failure. */
function retriesOf(graph: Graph, node: Node, handler: HandlerType): number {
  const policy = retryPolicyOf(graph, node, handler.retriesFailure);
  return policy.retriesFailure ? policy.maxAttempts - 1 : 0;
}

function wayBack(graph: Graph, node: Node, exitId: string, retries: number): Finding | undefined {
  if (nodeAttribute(node, 'max_visits') !== undefined) return undefined;
  const edges = outgoingEdges(graph, node.id);
  const loop = edges.find((edge) => edge.to === node.id && meansFailure(edge));
  if (loop !== undefined)
    return finding(node, retries, loop.span, 'an edge on its failure leads back to itself');
  // Another route may come before the retry target (SEMANTICS 20).
  if (edges.some((edge) => conditionOf(edge).condition !== undefined)) return undefined;
  const [target] = usableJumpTargets(graph, node, exitId);
  const attribute = target && node.attributes.get(target.attribute);
  if (attribute === undefined || target?.nodeId !== node.id) return undefined;
  const span = { start: attribute.keySpan.start, end: attribute.valueSpan.end };
  return finding(node, retries, span, `its \`${attribute.name}\` is the stage itself`);
}

/** True for a condition that only tests for a failure; one that also counts has its own end. */
function meansFailure(edge: Edge): boolean {
  const { condition } = conditionOf(edge);
  if (condition?.kind !== 'comparison') return false;
  const { operator, left, right } = condition;
  if (left.kind !== 'key' || left.path !== 'outcome' || right.kind !== 'literal') return false;
  return operator === '=' ? right.value === 'fail' : operator === '!=' && right.value === 'success';
}

function finding(node: Node, retries: number, span: Finding['span'], reason: string): Finding {
  const budget = node.attributes.get('max_retries');
  return {
    message: `${excerpt(node.id)} is retried in two ways: after ${attempts(retries)}, ${reason}, so they start over, without limit`,
    span,
    related: budget && [{ span: budget.keySpan, message: 'the retries are set here' }],
    fix: { title: 'remove one of the two, or add `max_visits`', edits: [] },
  };
}

function attempts(retries: number): string {
  return `${retries + 1} attempts`;
}

const repeats = [
  { name: 'curl --retry', pattern: /\bcurl\s[^|;&\n]*--retry[ =]+[1-9]/ },
  { name: 'wget --tries', pattern: /\bwget\s[^|;&\n]*(?:--tries[ =]|-t ?)[2-9]/ },
  { name: 'pytest --reruns', pattern: /\bpytest\s[^|;&\n]*--reruns[ =]+[1-9]/ },
  { name: 'retry', pattern: /(?:^|[;&|\n])\s*(?:npx\s+)?retry\s+-/ },
] as const;

/** Finding for a tool whose command repeats its work itself. */
function ownRetries(node: Node, handler: HandlerType, retries: number): Finding | undefined {
  const command = node.attributes.get('tool_command');
  if (handler.type !== 'tool' || command === undefined) return undefined;
  const text = String(command.value);
  const retrying = text.length > longest ? undefined : repeats.find(({ pattern }) => pattern.test(text));
  if (retrying === undefined) return undefined;
  return {
    message: `${excerpt(node.id)} is retried in two ways: \`${retrying.name}\` retries by itself, in each of up to ${attempts(retries)}`,
    span: command.valueSpan,
    fix: { title: `retry with either \`max_retries\` or \`${retrying.name}\``, edits: [] },
  };
}

const longest = 20_000;
