import { branchName } from '../../graph/parallel.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { areTwoEnough, possibleCounts } from './branch-counts.js';
import { begun, type Departure, notFollowed, type Steps } from './departure.js';
import type { EngineValues } from './engine-keys.js';
import {
  beginning,
  branchCount,
  type Fork,
  isBranchEnd,
  isFollowedFork,
  isFork,
  joined,
  joinStatuses,
  neverEnding,
  nextBranch,
  nodesInside,
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
  readonly #engine: EngineValues;
  readonly #isLoose: boolean;

  constructor(program: Program, keys: FlowKeys, engine: EngineValues, isLoose: boolean) {
    this.#program = program;
    this.#keys = keys;
    this.#engine = engine;
    this.#isLoose = isLoose;
  }

  /** What follows the end of a branch. */
  endBranch(state: FlowState, branch: FlowBranch, status: Said['status']): readonly Continuation[] {
    const node = this.#program.nodes.get(branch.parallelId);
    if (node === undefined || !isFork(node)) return [failed];
    if (this.#isLoose) return this.#met(node, state, branch);
    if (branch.isAlone) return [{ next: undefined, ending: 'moves' }];
    const ended = nextBranch(node.parallel, branch, status, state.values);
    if (ended.index >= ended.count) return [moving(joined(node, state, ended))];
    return this.#begin(node, state, ended);
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
    const firsts = count === 0 ? [moving(joined(node, state, branch))] : this.#begin(node, state, branch);
    const isKnown =
      known !== undefined &&
      (node.parallel.foreach === undefined ||
        (node.parallel.joinPolicy === 'wait_all' && areTwoEnough(this.#keys)));
    const alone = this.#alone(node, state, branch).map((next) => ({
      ...this.#forking(node, state, next),
      // No script lets the others wait.
      attempts: undefined,
    }));
    return {
      departures: [...firsts.map((next) => this.#forking(node, state, next)), ...alone],
      areAll: this.#keys.isExact && isKnown,
      isEntered: true,
    };
  }

  /** Beginnings of the branches that run while an earlier one goes round, and never ends. */
  #alone(node: Fork, state: FlowState, first: FlowBranch): readonly Continuation[] {
    if (!neverEnding(this.#program).has(node.id)) return [];
    return Array.from({ length: Math.max(0, first.count - 1) }, (_, before) => before + 1).flatMap((index) =>
      this.#begin(
        node,
        state,
        flowBranch({ ...first, isAlone: true, index, name: branchName(node.parallel, index) }),
      ),
    );
  }

  /** First state of a branch, or what follows if it ends at once. */
  #begin(node: Fork, state: FlowState, branch: FlowBranch): readonly Continuation[] {
    const first = beginning(node, state, branch);
    const isOver = isBranchEnd(this.#program, branch, first.nodeId);
    if (!isOver && !parallelsOf(branch).has(first.nodeId)) return [moving(first)];
    return this.endBranch(first, branch, isOver ? 'success' : 'fail');
  }

  #looseFork(node: Fork, state: FlowState): readonly Departure[] {
    const { foreach } = node.parallel;
    const first = branchOf(node, state, 0, 0);
    const branches = foreach === undefined ? node.edges : node.edges.slice(0, 1);
    const firsts = branches.flatMap((_, index) =>
      this.#begin(node, state, flowBranch({ ...first, index, name: branchName(node.parallel, index) })),
    );
    const isEmpty = foreach !== undefined || node.edges.length === 0;
    const all = isEmpty ? [...firsts, ...this.#met(node, state, first)] : firsts;
    return all.map((next) => this.#forking(node, state, next));
  }

  /** All in which branches may meet. */
  #met(node: Fork, state: FlowState, { values: before, around }: FlowBranch): readonly Continuation[] {
    const found = this.#keys.values.has(resultsKey) ? ['usable', 'failed', 'empty'] : [undefined];
    const { all, areAll } = this.#engine.anythingSaid(before, () =>
      [...nodesInside(this.#program, node)].filter((id) => !node.parallel.sharedNodes.has(id)),
    );
    const counts = possibleCounts(node, this.#keys);
    const met = joinStatuses(node).flatMap((status) =>
      found.flatMap((results) =>
        all.flatMap((said) => {
          const values = results === undefined ? said : withEntry(said, resultsKey, results);
          return counts.map((own) =>
            moving({
              ...state,
              nodeId: node.id,
              hasJoined: true,
              arriving: { ...begun, status },
              values: own.length === 0 ? values : new Map([...values, ...own]),
              branch: around,
            }),
          );
        }),
      ),
    );
    return areAll ? met : [...met, { next: undefined, ending: 'unknown' }];
  }

  #forking(node: ProgramNode, state: FlowState, { next, ending }: Continuation): Departure {
    const { values, branch } = state;
    const choice = { ...begun, updates: new Map() };
    const route = { kind: 'join', to: node.parallel?.joinId ?? node.id } as const;
    const outcome = { choice, ownStatus: begun.status, routed: begun, values, scope: scopeOf(begun, values) };
    return {
      node,
      line: lineOf(branch),
      part: 'forks',
      attempts: 1,
      asked: 0,
      ...outcome,
      route,
      next,
      ending,
    };
  }
}

function moving(next: FlowState): Continuation {
  return { next, ending: 'moves' };
}

function branchOf(
  { id, parallel }: Fork,
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
    isAlone: false,
    seen: none,
    name: branchName(parallel, index),
    around,
  });
}

/** True in a branch whose values are merged. */
export function isInMerge({ nodes }: Program, branch: FlowBranch | undefined): boolean {
  return [...parallelsOf(branch)].some((id) => nodes.get(id)?.parallel?.conflictPolicy !== 'isolate');
}
