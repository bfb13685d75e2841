import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { foreachOf } from '../../../graph/parallel.js';
import { nodesHandledBy, outgoingEdges } from '../../../graph/queries.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 49: the branches must be able to satisfy the join policy. */
export const joinParameters: LintRule = {
  name: 'join_parameters',
  severity: 'error',
  summary: 'A join policy requires no more branches than there are.',
  rationale:
    'With `join_policy=k_of_n` a parallel node succeeds if `join_k` of its branches succeed, with `quorum` if the fraction `join_quorum` of them does. If it requires more branches than exist, it always fails; if it requires none, it never fails. Use a whole number from 1 to the number of branches, or a fraction above 0 and up to 1.',
  *apply(graph, { handlerTypes }) {
    for (const node of nodesHandledBy(graph, handlerTypes, ({ forks }) => forks)) {
      const problem = problemOf(graph, node);
      if (problem !== undefined) yield { ...problem, nodeId: node.id };
    }
  },
};

function problemOf(graph: Graph, node: Node): Finding | undefined {
  switch (nodeAttribute(node, 'join_policy')) {
    case 'k_of_n':
      return problemOfK(firstWritten(node, ['join_k', 'k', 'min_success']), branchCount(graph, node));
    case 'quorum':
      return problemOfQuorum(firstWritten(node, ['join_quorum', 'quorum_fraction']));
    default:
      return undefined;
  }
}

/** Number of branches; undefined for those of a list, which only the run knows (SEMANTICS 106). */
function branchCount(graph: Graph, node: Node): number | undefined {
  return foreachOf(node) === undefined ? outgoingEdges(graph, node.id).length : undefined;
}

function firstWritten(node: Node, names: readonly string[]): Attribute | undefined {
  return names.map((name) => node.attributes.get(name)).find((attribute) => attribute !== undefined);
}

function problemOfK(attribute: Attribute | undefined, branches: number | undefined): Finding | undefined {
  if (attribute === undefined || branches === 0) return undefined;
  const requiredCount = Number(attribute.value);
  if (Number.isInteger(requiredCount) && requiredCount >= 1 && requiredCount <= (branches ?? requiredCount))
    return undefined;
  if (branches === undefined) {
    return {
      message: `\`${attribute.name}\` is ${String(attribute.value)}; expected a whole number of at least 1`,
      span: attribute.valueSpan,
      fix: { title: 'write how many branches must succeed', edits: [] },
    };
  }
  const count = branches === 1 ? 'is 1 branch' : `are ${branches} branches`;
  return {
    message: `\`${attribute.name}\` is ${String(attribute.value)}, but there ${count}; expected a whole number from 1 to ${branches}`,
    span: attribute.valueSpan,
    fix: { title: 'require at most as many branches as there are', edits: [] },
  };
}

function problemOfQuorum(attribute: Attribute | undefined): Finding | undefined {
  if (attribute === undefined) return undefined;
  const fraction = Number(attribute.value);
  if (fraction > 0 && fraction <= 1) return undefined;
  return {
    message: `\`${attribute.name}\` is ${String(attribute.value)}; expected a fraction above 0 and up to 1`,
    span: attribute.valueSpan,
    fix: { title: 'write a fraction, such as 0.5 for one half', edits: [] },
  };
}
