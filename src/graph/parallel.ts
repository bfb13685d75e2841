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

/** Maximum of the items of a list: a run keeps what each of them did, some 7 KB, in memory. */
export const mostItems = 100_000;

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

/** Nodes that several branches may execute: under `foreach` all of the branch. */
function sharedNodesOf(
  graph: Graph,
  node: Node,
  branches: readonly Edge[],
  ends: ReadonlySet<string>,
): ReadonlySet<string> {
  if (foreachOf(node) !== undefined)
    return new Set(branches.flatMap(({ to }) => [...branchNodes(graph, to, ends)]));
  return sharedBy(
    graph,
    branches.map(({ to }) => to),
    ends,
  );
}

/**
 * Nodes that at least two branches reach. Each node passes on two of those that reach it: what matters is
 * whether there are two.
 */
function sharedBy(graph: Graph, firsts: readonly string[], ends: ReadonlySet<string>): ReadonlySet<string> {
  const reachedBy = new Map<string, readonly number[]>();
  const shared = new Set<string>();
  const open: { readonly id: string; readonly branch: number }[] = [];
  const reach = (id: string, branch: number): void => {
    const before = reachedBy.get(id) ?? [];
    if (ends.has(id) || before.length === 2 || before[0] === branch) return;
    reachedBy.set(id, [...before, branch]);
    if (before.length === 1) shared.add(id);
    open.push({ id, branch });
  };
  for (const [branch, id] of firsts.entries()) reach(id, branch);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const to of successorsOf(graph, next.id)) if (graph.nodes.has(to)) reach(to, next.branch);
  }
  return shared;
}

/** Nodes that a branch may execute: along edges, and by the jumps of failed stages. */
export function branchNodes(graph: Graph, first: string, ends: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set<string>(ends.has(first) ? [] : [first]);
  for (const id of reached) {
    for (const to of successorsOf(graph, id)) if (graph.nodes.has(to) && !ends.has(to)) reached.add(to);
  }
  return reached;
}

function successorsOf(graph: Graph, id: string): readonly string[] {
  const node = graph.nodes.get(id);
  const jumps =
    node === undefined
      ? []
      : [nodeAttribute(node, 'retry_target'), nodeAttribute(node, 'fallback_retry_target')];
  return [...outgoingEdges(graph, id).map(({ to }) => to), ...jumps];
}
