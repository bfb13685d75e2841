import { nodeAttribute } from './attributes.js';
import type { Edge, Graph, Node } from './graph.js';
import { outgoingEdges } from './queries.js';
import { nodeTemplate } from './templates.js';

export type JoinPolicy = 'wait_all' | 'k_of_n' | 'first_success' | 'quorum';
export type ErrorPolicy = 'fail_fast' | 'continue' | 'ignore';
/** Policy for the values that branches have set, at their join (SEMANTICS 107). */
export type ConflictPolicy = 'isolate' | 'last_wins' | 'first_wins' | 'error';

/**
 * Policy for the branches of a parallel node and their join (§4.8, SEMANTICS 48–54), fixed when the program
 * is built.
 */
export interface Parallel {
  /**
   * Node at which every branch ends and the run continues. A branch ends on arriving there; it does not
   * execute it.
   */
  readonly joinId: string;
  readonly joinPolicy: JoinPolicy;
  /** Number of branches that must succeed, under `k_of_n`. */
  readonly joinK: number;
  /** Fraction of the branches that must succeed, under `quorum`. */
  readonly joinQuorum: number;
  readonly errorPolicy: ErrorPolicy;
  readonly conflictPolicy: ConflictPolicy;
  readonly maxParallel: number;
  /** Set if there is a branch for each item of a list, instead of one for each edge (SEMANTICS 106). */
  readonly foreach: Foreach | undefined;
  /** Names of the branches of edges, in their order: the first node, numbered if several begin there. */
  readonly branchNames: readonly string[];
  /** Nodes that several branches may execute: each branch keeps their files apart (SEMANTICS 54). */
  readonly sharedNodes: ReadonlySet<string>;
}

/** List whose items become branches (SEMANTICS 106). */
export interface Foreach {
  /** The attribute as the author wrote it, for messages. */
  readonly text: string;
  /** Path of the list; undefined for a text that is not just one `${path}`, whose error was switched off. */
  readonly path: string | undefined;
  /** Context key of the item in its branch. */
  readonly as: string;
}

/** Context key of the position of an item, from 0, in its branch (SEMANTICS 106). */
export const itemIndexKey = 'work.index';

export function parallelOf(graph: Graph, node: Node, joinId: string, exitId: string): Parallel {
  const branches = outgoingEdges(graph, node.id);
  return {
    joinId,
    joinPolicy: joinPolicyOf(node),
    joinK: firstNumber(node, ['join_k', 'k', 'min_success'], 1),
    joinQuorum: firstNumber(node, ['join_quorum', 'quorum_fraction'], 0.5),
    errorPolicy: errorPolicyOf(node),
    conflictPolicy: conflictPolicyOf(node),
    maxParallel: Math.max(1, nodeAttribute(node, 'max_parallel')),
    foreach: foreachOf(node),
    branchNames: branchNames(branches),
    sharedNodes: sharedNodesOf(graph, node, branches, new Set([joinId, exitId])),
  };
}

/** List of a parallel node with `foreach`. */
export function foreachOf(node: Node): Foreach | undefined {
  const { text, parts } = nodeTemplate(node, 'foreach');
  if (text.trim() === '') return undefined;
  const [first] = parts;
  const isPath = parts.length === 1 && first?.kind === 'value';
  return { text, path: isPath ? first.path : undefined, as: nodeAttribute(node, 'as') };
}

/** Name of a branch within its parallel node: `analyze#3` for the third item of a list. */
export function branchName({ foreach, branchNames }: Parallel, index: number): string {
  const name = branchNames[foreach === undefined ? index : 0] ?? '';
  return foreach === undefined ? name : `${name}#${index + 1}`;
}

/** The edge that a branch begins with. */
export function branchEdge<Edge>(
  { edges, parallel }: { readonly edges: readonly Edge[]; readonly parallel: Parallel | undefined },
  index: number,
): Edge | undefined {
  return edges[parallel?.foreach === undefined ? index : 0];
}

function branchNames(branches: readonly Edge[]): readonly string[] {
  const seen = new Map<string, number>();
  return branches.map(({ to }) => {
    const count = (seen.get(to) ?? 0) + 1;
    seen.set(to, count);
    return count === 1 ? to : `${to}#${count}`;
  });
}

/** Join policy; an unknown one, whose error was switched off, counts as the default (SEMANTICS 49). */
function joinPolicyOf(node: Node): JoinPolicy {
  const policy = nodeAttribute(node, 'join_policy');
  return policy === 'k_of_n' || policy === 'first_success' || policy === 'quorum' ? policy : 'wait_all';
}

function errorPolicyOf(node: Node): ErrorPolicy {
  const policy = nodeAttribute(node, 'error_policy');
  return policy === 'fail_fast' || policy === 'ignore' ? policy : 'continue';
}

/** Policy for the values of the branches; an unknown one, whose error was switched off, counts as the default. */
function conflictPolicyOf(node: Node): ConflictPolicy {
  const policy = nodeAttribute(node, 'on_conflict');
  return policy === 'last_wins' || policy === 'first_wins' || policy === 'error' ? policy : 'isolate';
}

/** Value of the first name that is set, among several names of one parameter. */
function firstNumber(node: Node, names: readonly string[], fallback: number): number {
  for (const name of names) {
    const value = Number(node.attributes.get(name)?.value ?? Number.NaN);
    if (Number.isFinite(value)) return value;
  }
  return fallback;
}

interface Meeting {
  /** Number of branches that reach the node. */
  branches: number;
  farthest: number;
  sum: number;
}

/**
 * Join of branches (SEMANTICS 48, 81): the nearest fan-in that all of them reach, else the nearest node
 * that all of them reach, else the exit. The first node of a branch counts only if it is a fan-in.
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
  const isEverywhere = (id: string): boolean =>
    meetings.get(id)?.branches === branches.length && id !== parallelId;
  let fronts: readonly Front[] = branches.map(({ to }) => ({ reached: new Set([to]), edge: [to] }));
  for (let distance = 0; fronts.some(({ edge }) => edge.length > 0); distance += 1) {
    const met = fronts.flatMap(({ edge }) => edge);
    for (const id of met) meet(meetings, id, distance);
    // A fan-in that is reached later is not nearer; usually this ends early, without the rest of the graph.
    const joins = [...new Set(met)].filter((id) => fanIns.has(id) && isEverywhere(id));
    if (joins.length > 0) return nearest(joins, meetings) ?? exitId;
    fronts = fronts.map((front) => goneOn(graph, front));
  }
  const firstNodes = new Set(branches.map(({ to }) => to));
  const common = [...meetings.keys()].filter((id) => isEverywhere(id) && !firstNodes.has(id));
  return nearest(common, meetings) ?? exitId;
}

/** Progress of following a branch. */
interface Front {
  readonly reached: Set<string>;
  /** Nodes reached in the last step. */
  readonly edge: readonly string[];
}

function goneOn(graph: Graph, { reached, edge }: Front): Front {
  const next: string[] = [];
  for (const id of edge) {
    for (const { to } of outgoingEdges(graph, id)) {
      if (reached.has(to)) continue;
      reached.add(to);
      next.push(to);
    }
  }
  return { reached, edge: next };
}

function meet(meetings: Map<string, Meeting>, id: string, distance: number): void {
  const meeting = meetings.get(id);
  if (meeting === undefined) meetings.set(id, { branches: 1, farthest: distance, sum: distance });
  else {
    meeting.branches += 1;
    meeting.farthest = distance;
    meeting.sum += distance;
  }
}

function nearest(ids: readonly string[], meetings: ReadonlyMap<string, Meeting>): string | undefined {
  const [best] = ids
    .map((id) => ({ id, farthest: 0, sum: 0, ...meetings.get(id) }))
    .sort(
      (one, other) => one.farthest - other.farthest || one.sum - other.sum || (one.id < other.id ? -1 : 1),
    );
  return best?.id;
}

/** Nodes that several branches may execute: under `foreach` all of the branch. */
function sharedNodesOf(
  graph: Graph,
  node: Node,
  branches: readonly Edge[],
  ends: ReadonlySet<string>,
): ReadonlySet<string> {
  if (foreachOf(node) !== undefined)
    return new Set(branches.flatMap(({ to }) => [...branchNodes(graph, to, ends)]));
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { to } of branches) {
    for (const id of branchNodes(graph, to, ends)) {
      if (seen.has(id)) shared.add(id);
      else seen.add(id);
    }
  }
  return shared;
}

/** Nodes that a branch may execute: along edges, and by the jumps of failed stages. */
export function branchNodes(graph: Graph, first: string, ends: ReadonlySet<string>): ReadonlySet<string> {
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
