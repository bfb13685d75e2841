import { graphAttribute, nodeAttribute } from './attributes.js';
import type { Edge, Graph, Node } from './graph.js';
import type { HandlerType } from './handler-types.js';
import { holdsUnder, type Verdict } from './holds-under.js';
import { type JumpTarget, usableJumpTargets } from './jump-targets.js';
import { conditionOf, outgoingEdges } from './queries.js';

/** Where the failure of a stage may go on, in the order in which the engine tries it (§3.7, SEMANTICS 20, 80). */
export interface FailureRoutes {
  /** Whether an edge's condition takes it: before the run this is known only where conditions ask for the outcome alone. */
  readonly caught: Verdict;
  /** The retry targets that are nodes and not the exit; the first one that can be gone to counts. */
  readonly jumps: readonly JumpTarget[];
  /** Plain edges into a diamond, which routes on the failure. */
  readonly intoConditionals: readonly Edge[];
  /** Whether `on_failure=continue` has it go on like a success. */
  readonly continues: boolean;
}

/** The routes of a stage's failure, as the graph tells them. The edges of a parallel node are branches, and no routes. */
export function failureRoutes(
  graph: Graph,
  node: Node,
  exitId: string,
  handlerOf: (node: Node) => HandlerType,
): FailureRoutes {
  const handler = handlerOf(node);
  const { forks, failureReachesConditional, inheritsOutcome } = handler;
  const edges = forks ? [] : outgoingEdges(graph, node.id);
  const plain = edges.filter(isPlain);
  const onFailure = nodeAttribute(node, 'on_failure') ?? graphAttribute(graph, 'on_failure');
  const hasExplicitElse = inheritsOutcome && plain.length > 0 && plain.length < edges.length;
  return {
    caught: hasExplicitElse ? 'always' : caughtByConditions(edges),
    jumps: usableJumpTargets(graph, node, exitId),
    intoConditionals: failureReachesConditional
      ? plain.filter(({ to }) => leadsToConditional(graph, to, handlerOf))
      : [],
    continues: onFailure === 'continue' && (forks || (failureReachesConditional && plain.length > 0)),
  };
}

function isPlain(edge: Edge): boolean {
  return conditionOf(edge).condition === undefined;
}

function caughtByConditions(edges: readonly Edge[]): Verdict {
  let caught: Verdict = 'never';
  for (const edge of edges) {
    const { condition } = conditionOf(edge);
    const verdict = condition === undefined ? 'never' : holdsUnder(condition, 'fail');
    if (verdict === 'always') return 'always';
    if (verdict === 'maybe') caught = 'maybe';
  }
  return caught;
}

function leadsToConditional(graph: Graph, to: string, handlerOf: (node: Node) => HandlerType): boolean {
  const target = graph.nodes.get(to);
  return target !== undefined && handlerOf(target).inheritsOutcome;
}
