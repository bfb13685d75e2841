import { cyclicGroups } from '../../graph/flow/cycles.js';
import { leadsBackTo } from '../../graph/flow/leads-back-to.js';
import type { JsonValue } from '../../graph/json.js';
import { isList, lookUp } from '../../graph/look-up.js';
import { branchEdge, branchName, branchNodes, type Parallel } from '../../graph/parallel.js';
import { perObject } from '../../graph/per-object.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { mergeValues } from '../../graph/values/merge-values.js';
import { stagePathOf } from '../../graph/values/seen-stages.js';
import {
  type FlowBranch,
  type FlowState,
  type FlowValues,
  flowBranch,
  type Said,
  withEntry,
} from './flow-state.js';
import { routedKey } from './routed-node.js';

/** Key under which the values say what a fan-in finds: results that it can choose from, only failures, or an empty list. */
export const resultsKey = '(results)';

const began: Said = { status: 'success', preferred_label: undefined, suggested_next_ids: undefined };

/** A parallel node that a search follows. */
export type Fork = ProgramNode & { readonly parallel: Parallel };

export function isFork(node: ProgramNode): node is Fork {
  return node.parallel !== undefined;
}

/** True if the branches of a parallel node cannot disturb each other, so that following one after the other shows what a run does. */
export function isFollowedFork({ parallel, edges, timeout }: Fork): boolean {
  const { conflictPolicy, joinPolicy, errorPolicy, foreach } = parallel;
  if (conflictPolicy === 'error' || timeout !== undefined || edges.length === 0) return false;
  const isOne = edges.length === 1 && foreach === undefined;
  // Who is first decides which branches are stopped.
  return isOne || (joinPolicy !== 'first_success' && errorPolicy !== 'fail_fast');
}

/** Parallel nodes with a branch that may never end, while others are under way: it goes round, or comes to the limit of a node. */
export const neverEnding = perObject((program: Program): ReadonlySet<string> => {
  const { nodes } = program;
  const found = [...nodes.values()].filter(isFork).filter((fork) => {
    const inside = nodesInside(program, fork);
    const next = (id: string): readonly string[] => {
      const { edges = [], jumpTargets = [], parallel } = nodes.get(id) ?? {};
      const all = [...edges.map(({ to }) => to), ...jumpTargets.map(({ nodeId }) => nodeId)];
      return [...all, parallel?.joinId ?? ''].filter((to) => inside.has(to));
    };
    const isLimited = [...inside].some((id) => nodes.get(id)?.maxVisits !== undefined);
    return isLimited || cyclicGroups(inside, next).length > 0;
  });
  return new Set(found.map(({ id }) => id));
});

/** True in a branch besides a later one that may come to the limit of a node, which ends the run at once. */
export function mayBeCutOff(program: Program, branch: FlowBranch | undefined): boolean {
  if (branch === undefined) return false;
  const node = program.nodes.get(branch.parallelId);
  if (node !== undefined && isFork(node) && branch.index + 1 < branch.count) {
    const ends = new Set([node.parallel.joinId, program.exitId]);
    const later = node.parallel.foreach === undefined ? node.edges.slice(branch.index + 1) : node.edges;
    const inside = later.flatMap(({ to }) => [...branchNodes(program.graph, to, ends)]);
    if (inside.some((id) => program.nodes.get(id)?.maxVisits !== undefined)) return true;
  }
  return mayBeCutOff(program, branch.around);
}

/** Number of branches that begin: those of edges, or of the items of a list; undefined for a list that is not known. */
export function branchCount({ parallel, edges }: Fork, values: FlowValues): number | undefined {
  const { foreach } = parallel;
  if (foreach === undefined) return edges.length;
  if (foreach.path === undefined) return undefined;
  const list = lookUp(foreach.path, { lookup: (key) => values.get(key) });
  return list !== undefined && isList(list) ? list.length : undefined;
}

/** State in which a branch begins. */
export function beginning(node: ProgramNode, state: FlowState, branch: FlowBranch): FlowState {
  const edge = branchEdge(node, branch.index);
  return {
    ...state,
    nodeId: edge?.to ?? node.id,
    hasJoined: false,
    arriving: began,
    // Nothing routes there yet.
    values: branch.values.has(routedKey)
      ? new Map([...branch.values].filter(([key]) => key !== routedKey))
      : branch.values,
    branch,
  };
}

/**
 * The branch after one that has ended; beyond the last one if all have.
 * @param values those at its end
 */
export function nextBranch(
  parallel: Parallel,
  branch: FlowBranch,
  status: StageStatus,
  values: FlowValues,
): FlowBranch {
  const isSuccess = status === 'success' || status === 'partial_success';
  const merges = isSuccess && parallel.conflictPolicy !== 'isolate';
  return flowBranch({
    ...branch,
    index: branch.index + 1,
    name: branchName(parallel, branch.index + 1),
    successes: branch.successes + (isSuccess ? 1 : 0),
    failures: branch.failures + (status === 'fail' ? 1 : 0),
    own: new Map(),
    set: merges ? [...branch.set, branch.own] : branch.set,
    seen: withSeen(parallel, branch, values),
  });
}

/** Words of the stages of a branch that no other branch can execute, besides those of the branches before (SEMANTICS 104). */
function withSeen({ sharedNodes }: Parallel, branch: FlowBranch, values: FlowValues): FlowValues {
  let seen: Map<string, JsonValue> | undefined;
  for (const [key, value] of values) {
    if (!key.startsWith('stages.') || branch.values.get(key) === value) continue;
    if (sharedNodes.has(stagePathOf(key)?.id ?? '')) continue;
    seen ??= new Map(branch.seen);
    seen.set(key, value);
  }
  return seen ?? branch.seen;
}

/** State at a parallel node whose branches have met. */
export function joined(node: Fork, state: FlowState, ended: FlowBranch): FlowState {
  const { parallel } = node;
  const branches = ended.set.map((values, index) => ({
    branch: branchName(parallel, index),
    values: Object.fromEntries(values),
  }));
  const merged = mergeValues(branches, parallel.conflictPolicy).values;
  const status = joinStatus(parallel, ended);
  const own = status === 'fail' ? [] : Object.entries(merged);
  const isSame = own.length === 0 && ended.seen.size === 0;
  const values = isSame ? ended.values : new Map([...ended.values, ...own, ...ended.seen]);
  return {
    ...state,
    nodeId: node.id,
    hasJoined: true,
    arriving: { ...began, status },
    values: withResults(parallel, values, ended),
    branch: ended.around,
  };
}

/** Outcome of the branches together (§4.8, SEMANTICS 49, 49a, 52, 106). */
function joinStatus(parallel: Parallel, { count, successes, failures }: FlowBranch): StageStatus {
  const { errorPolicy, joinPolicy } = parallel;
  if (count === 0) return 'success';
  const counted = errorPolicy === 'ignore' ? count - failures : count;
  if (errorPolicy === 'fail_fast' && failures > 0) return 'fail';
  if (counted === 0) return 'success';
  const needed = neededSuccesses(parallel, counted);
  if (joinPolicy !== 'wait_all') return successes >= needed ? 'success' : 'fail';
  return failures === 0 || errorPolicy === 'ignore' ? 'success' : 'partial_success';
}

function neededSuccesses({ joinPolicy, joinK, joinQuorum }: Parallel, counted: number): number {
  if (joinPolicy === 'k_of_n') return joinK;
  return joinPolicy === 'quorum' ? Math.ceil(joinQuorum * counted - 1e-9) : 1;
}

/** Outcomes that branches can have together, whatever they do. */
export function joinStatuses({ edges, parallel, timeout }: Fork): readonly StageStatus[] {
  const { errorPolicy, joinPolicy, conflictPolicy, foreach } = parallel;
  const mayFail =
    errorPolicy === 'fail_fast' ||
    joinPolicy !== 'wait_all' ||
    conflictPolicy === 'error' ||
    timeout !== undefined ||
    edges.length === 0 ||
    foreach !== undefined;
  const mayBePartial = joinPolicy === 'wait_all' && errorPolicy === 'continue';
  return [
    'success',
    ...(mayBePartial ? (['partial_success'] as const) : []),
    ...(mayFail ? (['fail'] as const) : []),
  ];
}

function withResults({ errorPolicy, foreach }: Parallel, values: FlowValues, ended: FlowBranch): FlowValues {
  const { count, failures, successes } = ended;
  const results = errorPolicy === 'ignore' ? count - failures : count;
  const found = foreach !== undefined && count === 0 ? 'empty' : count === failures ? 'failed' : 'usable';
  const known: readonly (readonly [string, JsonValue])[] = [
    [resultsKey, found],
    ['parallel.count', results],
    ['parallel.success_count', successes],
    ['parallel.fail_count', errorPolicy === 'ignore' ? 0 : failures],
  ];
  return known.reduce((all, [key, value]) => withEntry(all, key, value), values);
}

/** Parallel nodes around a branch, the innermost first. */
export function parallelsOf(branch: FlowBranch | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let one = branch; one !== undefined; one = one.around) ids.add(one.parallelId);
  return ids;
}

/** True at the end of a branch: at the exit, or at the join of a parallel node around it (SEMANTICS 48). */
export function isBranchEnd({ exitId, nodes }: Program, branch: FlowBranch, nodeId: string): boolean {
  if (nodeId === exitId) return true;
  return [...parallelsOf(branch)].some((id) => nodes.get(id)?.parallel?.joinId === nodeId);
}

/** True if a branch may jump to a node: not every path from there leads back to a parallel node around it. */
export function mayJumpInside(program: Program, branch: FlowBranch, nodeId: string): boolean {
  const inside = parallelsOf(branch);
  const joins = [...inside].flatMap((id) => program.nodes.get(id)?.parallel?.joinId ?? []);
  return leadsBackTo(program.graph, nodeId, inside, new Set([...joins, program.exitId])) === undefined;
}

/** Nodes that the branches of a parallel node may execute. */
export function nodesInside({ graph, exitId }: Program, { edges, parallel }: Fork): ReadonlySet<string> {
  const ends = new Set([parallel.joinId, exitId]);
  return new Set(edges.flatMap(({ to }) => [...branchNodes(graph, to, ends)]));
}

/** Nodes in branches. */
export const nodesInBranches = perObject((program: Program): ReadonlySet<string> => {
  const forks = [...program.nodes.values()].filter(isFork);
  return new Set(forks.flatMap((fork) => [...nodesInside(program, fork)]));
});

/** Goal gates that branches may visit, in any order. */
export const gatesInBranches = perObject((program: Program): ReadonlySet<string> => {
  const ids = nodesInBranches(program);
  return new Set(program.goalGates.filter(({ id }) => ids.has(id)).map(({ id }) => id));
});
