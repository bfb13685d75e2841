import { nodeAttribute } from './attributes.js';
import type { Edge, Graph, Node } from './graph.js';
import { outgoingEdges } from './queries.js';

export type JoinPolicy = 'wait_all' | 'k_of_n' | 'first_success' | 'quorum';
export type ErrorPolicy = 'fail_fast' | 'continue' | 'ignore';

/** How the branches of a parallel node run and where they meet again (§4.8, SEMANTICS 48–54), fixed when the program is built. */
export interface Parallel {
  /** Where every branch ends and the run goes on. A branch ends on arriving there; it does not execute it. */
  readonly joinId: string;
  readonly joinPolicy: JoinPolicy;
  /** Of `k_of_n`: how many branches must succeed. */
  readonly joinK: number;
  /** Of `quorum`: which fraction of the branches must succeed. */
  readonly joinQuorum: number;
  readonly errorPolicy: ErrorPolicy;
  readonly maxParallel: number;
  /** What each branch is called, in the order of the edges: its first node, numbered where several begin there. */
  readonly branchNames: readonly string[];
  /** Nodes that more than one branch may execute: each branch keeps its files apart (SEMANTICS 54). */
  readonly sharedNodes: ReadonlySet<string>;
}

export function parallelOf(graph: Graph, node: Node, joinId: string, exitId: string): Parallel {
  const branches = outgoingEdges(graph, node.id);
  return {
    joinId,
    joinPolicy: joinPolicyOf(node),
    joinK: firstNumber(node, ['join_k', 'k', 'min_success'], 1),
    joinQuorum: firstNumber(node, ['join_quorum', 'quorum_fraction'], 0.5),
    errorPolicy: errorPolicyOf(node),
    maxParallel: Math.max(1, nodeAttribute(node, 'max_parallel')),
    branchNames: branchNames(branches),
    sharedNodes: nodesOfSeveralBranches(graph, branches, new Set([joinId, exitId])),
  };
}

function branchNames(branches: readonly Edge[]): readonly string[] {
  const seen = new Map<string, number>();
  return branches.map(({ to }) => {
    const count = (seen.get(to) ?? 0) + 1;
    seen.set(to, count);
    return count === 1 ? to : `${to}#${count}`;
  });
}

/** An unknown policy, where its error was switched off, runs as the default (SEMANTICS 49). */
function joinPolicyOf(node: Node): JoinPolicy {
  const policy = nodeAttribute(node, 'join_policy');
  return policy === 'k_of_n' || policy === 'first_success' || policy === 'quorum' ? policy : 'wait_all';
}

function errorPolicyOf(node: Node): ErrorPolicy {
  const policy = nodeAttribute(node, 'error_policy');
  return policy === 'fail_fast' || policy === 'ignore' ? policy : 'continue';
}

/** The first of several names of one parameter that is written. */
function firstNumber(node: Node, names: readonly string[], fallback: number): number {
  for (const name of names) {
    const value = Number(node.attributes.get(name)?.value ?? Number.NaN);
    if (Number.isFinite(value)) return value;
  }
  return fallback;
}

interface Meeting {
  /** How many branches reach the node. */
  branches: number;
  farthest: number;
  sum: number;
}

/**
 * Where the branches meet (SEMANTICS 48, 81): the nearest fan-in that all of them reach, else the nearest node that all of
 * them reach, else the exit. The first node of a branch counts only where it is a fan-in.
 * @param fanIns ids of the nodes that have the fan-in handler
 */
export function joinOf(
  graph: Graph,
  parallelId: string,
  branches: readonly Edge[],
  fanIns: ReadonlySet<string>,
  exitId: string,
): string {
  const meetings = new Map<string, Meeting>();
  for (const { to } of branches) addDistances(graph, to, meetings);
  const firstNodes = new Set(branches.map(({ to }) => to));
  const common = [...meetings].filter(([id, { branches: count }]) => {
    if (count < branches.length || id === parallelId) return false;
    return fanIns.has(id) || !firstNodes.has(id);
  });
  const candidates = common.filter(([id]) => fanIns.has(id));
  return nearest(candidates.length > 0 ? candidates : common) ?? exitId;
}

function addDistances(graph: Graph, first: string, meetings: Map<string, Meeting>): void {
  const distances = new Map([[first, 0]]);
  for (const [id, distance] of distances) {
    const meeting = meetings.get(id);
    if (meeting === undefined) meetings.set(id, { branches: 1, farthest: distance, sum: distance });
    else {
      meeting.branches += 1;
      meeting.farthest = Math.max(meeting.farthest, distance);
      meeting.sum += distance;
    }
    for (const { to } of outgoingEdges(graph, id)) {
      if (!distances.has(to)) distances.set(to, distance + 1);
    }
  }
}

function nearest(candidates: readonly (readonly [string, Meeting])[]): string | undefined {
  const [best] = [...candidates].sort(
    ([oneId, one], [otherId, other]) =>
      one.farthest - other.farthest || one.sum - other.sum || (oneId < otherId ? -1 : 1),
  );
  return best?.[0];
}

function nodesOfSeveralBranches(
  graph: Graph,
  branches: readonly Edge[],
  ends: ReadonlySet<string>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { to } of branches) {
    for (const id of nodesOfBranch(graph, to, ends)) {
      if (seen.has(id)) shared.add(id);
      else seen.add(id);
    }
  }
  return shared;
}

/** What a branch may execute: along edges, and by the jumps of failed stages. */
function nodesOfBranch(graph: Graph, first: string, ends: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set<string>(ends.has(first) ? [] : [first]);
  for (const id of reached) {
    const node = graph.nodes.get(id);
    const jumps =
      node === undefined
        ? []
        : [nodeAttribute(node, 'retry_target'), nodeAttribute(node, 'fallback_retry_target')];
    for (const to of [...outgoingEdges(graph, id).map((edge) => edge.to), ...jumps]) {
      if (graph.nodes.has(to) && !ends.has(to)) reached.add(to);
    }
  }
  return reached;
}
