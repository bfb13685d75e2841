import type { Program, ProgramNode } from '../../graph/program.js';
import { begun, type Departure, notFollowed, type Steps } from './departure.js';
import {
  beginning,
  branchCount,
  type Fork,
  isBranchEnd,
  isFollowedFork,
  isFork,
  joined,
  joinStatuses,
  nextBranch,
  parallelsOf,
  resultsKey,
} from './flow-forks.js';
import type { FlowKeys } from './flow-keys.js';
import {
  type Continuation,
  type FlowBranch,
  type FlowState,
  type FlowValues,
  flowBranch,
  lineOf,
  type Said,
  withEntry,
} from './flow-state.js';
import { scopeOf } from './judged.js';

const failed: Continuation = { next: undefined, ending: 'failed' };

/** Steps into the branches of parallel nodes, from one to the next, and to where they meet (§4.8). */
export class ForkSteps {
  readonly #program: Program;
  readonly #keys: FlowKeys;
  readonly #isLoose: boolean;

  constructor(program: Program, keys: FlowKeys, isLoose: boolean) {
    this.#program = program;
    this.#keys = keys;
    this.#isLoose = isLoose;
  }

  /** What follows the end of a branch. */
  endBranch(state: FlowState, branch: FlowBranch, status: Said['status']): readonly Continuation[] {
    const node = this.#program.nodes.get(branch.parallelId);
    if (node === undefined || !isFork(node)) return [failed];
    if (this.#isLoose) return this.#met(node, state, branch).map((next) => ({ next, ending: 'moves' }));
    const ended = nextBranch(node.parallel, branch, status);
    if (ended.index >= ended.count) return [{ next: joined(node, state, ended), ending: 'moves' }];
    return this.#begin(node, state, ended).map((next) => ({ next, ending: 'moves' }));
  }

  /** The beginning of the branches (§4.8), or of the only one that matters. */
  from(node: Fork, state: FlowState): Steps {
    const around = state.branch;
    const isMerging = node.parallel.conflictPolicy !== 'isolate' || isInMerge(this.#program, around);
    if (this.#isLoose)
      return { departures: this.#looseFork(node, state), areAll: !isMerging, isEntered: true };
    if (isMerging && around !== undefined) return notFollowed;
    if (!isFollowedFork(node)) return notFollowed;
    const known = branchCount(node, state.values);
    // A simulation makes up one item of a list that it does not have.
    const count = known ?? 1;
    const branch = branchOf(node, state, 0, count);
    const firsts = count === 0 ? [joined(node, state, branch)] : this.#begin(node, state, branch);
    const isKnown =
      known !== undefined && (node.parallel.foreach === undefined || node.parallel.joinPolicy === 'wait_all');
    return {
      departures: firsts.map((next) => this.#forking(node, state, next)),
      areAll: this.#keys.isExact && isKnown,
      isEntered: true,
    };
  }

  /** First state of a branch, or what follows if it ends at once. */
  #begin(node: Fork, state: FlowState, branch: FlowBranch): readonly FlowState[] {
    const first = beginning(node, state, branch);
    const isOver = isBranchEnd(this.#program, branch, first.nodeId);
    if (!isOver && !parallelsOf(branch).has(first.nodeId)) return [first];
    return this.endBranch(first, branch, isOver ? 'success' : 'fail').flatMap(({ next }) => next ?? []);
  }

  #looseFork(node: Fork, state: FlowState): readonly Departure[] {
    const { foreach } = node.parallel;
    const first = branchOf(node, state, 0, 0);
    const branches = foreach === undefined ? node.edges : node.edges.slice(0, 1);
    const firsts = branches.flatMap((_, index) => this.#begin(node, state, flowBranch({ ...first, index })));
    const isEmpty = foreach !== undefined || node.edges.length === 0;
    const all = isEmpty ? [...firsts, ...this.#met(node, state, first)] : firsts;
    return all.map((next) => this.#forking(node, state, next));
  }

  /** All in which branches may meet. */
  #met(node: Fork, state: FlowState, { values, around }: FlowBranch): readonly FlowState[] {
    const found = this.#keys.values.has(resultsKey) ? ['usable', 'failed', 'empty'] : [undefined];
    return joinStatuses(node).flatMap((status) =>
      found.map((results) => ({
        ...state,
        nodeId: node.id,
        hasJoined: true,
        arriving: { ...begun, status },
        values: results === undefined ? values : withEntry(values, resultsKey, results),
        branch: around,
      })),
    );
  }

  #forking(node: ProgramNode, state: FlowState, next: FlowState): Departure {
    const { values, branch } = state;
    const choice = { ...begun, updates: new Map() };
    const route = { kind: 'join', to: node.parallel?.joinId ?? node.id } as const;
    const outcome = { choice, ownStatus: begun.status, routed: begun, values, scope: scopeOf(begun, values) };
    return {
      node,
      line: lineOf(branch),
      part: 'forks',
      attempts: 1,
      ...outcome,
      route,
      next,
      ending: 'moves',
    };
  }
}

function branchOf(
  { id }: Fork,
  { values, branch: around }: FlowState,
  index: number,
  count: number,
): FlowBranch {
  const none: FlowValues = new Map();
  return flowBranch({
    parallelId: id,
    index,
    count,
    successes: 0,
    failures: 0,
    values,
    own: none,
    set: [],
    around,
  });
}

/** True in a branch whose values are merged. */
export function isInMerge({ nodes }: Program, branch: FlowBranch | undefined): boolean {
  return [...parallelsOf(branch)].some((id) => nodes.get(id)?.parallel?.conflictPolicy !== 'isolate');
}
