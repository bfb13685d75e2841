import type { Graph, Node } from '../../graph/graph.js';
import { type ConflictPolicy, parallelOf } from '../../graph/parallel.js';
import type { ControlFlow } from './control-flow.js';
import { type MergingFork, mergingForks, reachedInBranch } from './merged-branches.js';
import { mergedStates, type OwnValue, type State, StateDraft } from './value-state.js';

/** Parallel node that merges the values of its branches (SEMANTICS 107), with what decides about its keys. */
export interface Joining {
  readonly fork: number;
  /** Ends of all branches, or of each one apart in the order of the edges if their order matters. */
  readonly ends: readonly (readonly number[])[];
  /** Set if a success of the join means that every branch has succeeded, so that the values of all of them are merged. */
  readonly whole: ConflictPolicy | undefined;
}

/** Joins of parallel nodes that merge, by the number of the place of the parallel node. */
export function joinings(graph: Graph, flow: ControlFlow): ReadonlyMap<number, Joining> {
  return new Map(
    mergingForks(graph, flow).flatMap((fork): [number, Joining][] => {
      const node = flow.points[fork.index]?.node;
      return node === undefined ? [] : [[fork.index, joiningOf(graph, flow, fork, node)]];
    }),
  );
}

/** Maximum of points times branches for which each branch is followed apart. */
const mostSteps = 100_000;

function joiningOf(
  graph: Graph,
  flow: ControlFlow,
  { index, entries, inside }: MergingFork,
  node: Node,
): Joining {
  const endsIn = (points: Iterable<number>) => [...points].filter(flow.endsAt);
  const policy = policyOfWhole(graph, node);
  return policy === undefined || entries.length * inside.size > mostSteps
    ? { fork: index, ends: [endsIn(inside)], whole: undefined }
    : { fork: index, ends: entries.map((entry) => endsIn(reachedInBranch(flow, [entry]))), whole: policy };
}

/** Policy for the values of branches all of which must succeed; undefined where some may fail. */
function policyOfWhole(graph: Graph, node: Node): ConflictPolicy | undefined {
  const parallel = parallelOf(graph, node, '', '');
  const { joinPolicy, joinQuorum, joinK, errorPolicy, conflictPolicy, foreach, branchNames } = parallel;
  const needsAll =
    (joinPolicy === 'quorum' && joinQuorum >= 1) || (joinPolicy === 'k_of_n' && joinK >= branchNames.length);
  const isWhole = needsAll && errorPolicy !== 'ignore' && foreach === undefined;
  return isWhole && conflictPolicy !== 'isolate' ? conflictPolicy : undefined;
}

/**
 * State after the join: the values of branches that have succeeded, or the one before where none of them has set the key.
 * @param before state of the parallel node
 * @param leftAt state with which a branch leaves its end; undefined if control cannot be there
 * @returns undefined if the join cannot have this outcome
 */
export function joinedState(
  { ends, whole: conflictPolicy }: Joining,
  before: State,
  leftAt: (end: number) => State | undefined,
  hasFailed: boolean,
): State | undefined {
  const branches = ends.map((branchEnds) =>
    branchEnds.flatMap((end) => leftAt(end) ?? []).reduce(merged, undefined),
  );
  const policy = hasFailed ? undefined : conflictPolicy;
  if (policy !== undefined && branches.some((branch) => branch === undefined)) return undefined;
  const joined = new StateDraft(before);
  for (const number of before.values.keys()) {
    const values = branches.flatMap((branch) => branch?.own[number] ?? []);
    if (policy === undefined) for (const { shape } of values) joined.setPerhaps(number, shape);
    else mergeInOrder(joined, number, policy === 'last_wins' ? values : values.reverse());
  }
  return joined;
}

function merged(one: State | undefined, other: State): State {
  return one === undefined ? other : mergedStates(one, other);
}

/** Merges the values of branches of which each one counts, the one that wins last. */
function mergeInOrder(joined: StateDraft, number: number, values: readonly OwnValue[]): void {
  for (const { shape, isSure } of values) {
    if (isSure) joined.set(number, shape);
    else joined.setPerhaps(number, shape);
  }
}
