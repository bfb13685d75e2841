import { type ChosenRoute, chooseRoute } from '../../graph/choose-route.js';
import type { JumpTarget } from '../../graph/flow/jump-targets.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { retries } from './attempts.js';
import { begun, type Departure, notFollowed, type Steps } from './departure.js';
import { counted, ends, gatesAfter } from './flow-ends.js';
import { isBranchEnd, isFork, mayJumpInside, parallelsOf, resultsKey } from './flow-forks.js';
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
import { followsNode } from './follows-node.js';
import { ForkSteps, isInMerge } from './fork-steps.js';
import { type Judged, judged, scopeOf } from './judged.js';
import type { LiveKeys } from './live-keys.js';
import { type StageChoice, stageChoices } from './stage-choices.js';

const nowhere: Steps = { departures: [], areAll: true, isEntered: false };
const failed: Continuation = { next: undefined, ending: 'failed' };

/**
 * Transitions of a program: those of the machine, over states that keep only what routes depend on.
 * @param isLoose true for more than the machine does: no limit counts, goal gates hold or not, branches meet in any way; what
 * such steps never do, no run does
 */
export class FlowSteps {
  readonly program: Program;
  readonly keys: FlowKeys;
  readonly isLoose: boolean;
  readonly #forks: ForkSteps;
  /** Nodes whose visits are counted, with the number beyond which they are alike. */
  readonly #counted = new Map<string, number>();
  readonly #isFollowed = new Map<string, boolean>();
  readonly live: LiveKeys;
  readonly #choices = new Map<string, ReturnType<typeof stageChoices>>();

  constructor(program: Program, keys: FlowKeys, live: LiveKeys, isLoose = false) {
    this.program = program;
    this.keys = keys;
    this.isLoose = isLoose;
    this.#forks = new ForkSteps(program, keys, isLoose);
    this.live = live;
    if (isLoose) return;
    for (const { id, maxVisits, clears } of program.nodes.values()) {
      if (maxVisits !== undefined) this.#counted.set(id, maxVisits);
      else if (clears.again.some((key) => keys.values.has(key))) this.#counted.set(id, 1);
    }
  }

  /** False if states with the same place, outcome and values may have different futures. */
  get isMemoryless(): boolean {
    const { goalGates, graph } = this.program;
    const hasValues = [...this.keys.values.keys()].some((key) => key !== resultsKey);
    return !hasValues && this.#counted.size === 0 && goalGates.length === 0 && !graph.edges.some(isRestart);
  }

  first(): FlowState {
    return {
      nodeId: this.program.startId,
      arriving: begun,
      hasJoined: false,
      values: new Map(),
      gates: new Map(),
      visits: new Map(),
      branch: undefined,
      restarts: 0,
      redirects: 0,
      passed: 0,
    };
  }

  from(state: FlowState): Steps {
    const node = this.program.nodes.get(state.nodeId);
    if (node === undefined) return notFollowed;
    if (node.id === this.program.exitId) return this.#atExit(node, state);
    if (state.hasJoined) return this.#leaveFork(node, state);
    const visits = state.visits.get(lineOf(state.branch) + node.id) ?? 0;
    const isFull = !this.isLoose && node.maxVisits !== undefined && visits >= node.maxVisits;
    if (isFull && node.id !== this.program.startId) return nowhere;
    if (!this.#follows(node)) return notFollowed;
    const entered = this.#entered(node, state, visits);
    if (isFork(node)) return this.#forks.from(node, entered[0] ?? state);
    const { choices, areAll } = node.handler.joins
      ? { choices: [choiceOfFanIn(state)], areAll: true }
      : this.#choicesOf(node);
    const departures: Departure[] = [];
    for (const one of entered) for (const choice of choices) this.#settle(node, one, choice, departures);
    return { departures, areAll: areAll && this.keys.isExact, isEntered: true };
  }

  #follows(node: ProgramNode): boolean {
    const known = this.#isFollowed.get(node.id);
    if (known !== undefined) return known;
    const follows = followsNode(node, this.keys);
    this.#isFollowed.set(node.id, follows);
    return follows;
  }

  #choicesOf(node: ProgramNode): ReturnType<typeof stageChoices> {
    const known = this.#choices.get(node.id);
    if (known !== undefined) return known;
    const live = this.live.leaving(node.id);
    // A success sets what it declares, even where a later stage may set it again.
    const declares = (key: string): boolean =>
      node.ownRules?.writes.some((entry) => entry.key === key) === true;
    const values = new Map([...this.keys.values].filter(([key]) => live.has(key) || declares(key)));
    const found = stageChoices(this.program, node, values);
    this.#choices.set(node.id, found);
    return found;
  }

  /** States after the beginning of a visit; two if a visit that is not the first one removes values. */
  #entered(node: ProgramNode, state: FlowState, visits: number): readonly FlowState[] {
    const { always, again } = node.clears;
    const most = this.#counted.get(node.id);
    const counted =
      most === undefined
        ? state.visits
        : withEntry(state.visits, lineOf(state.branch) + node.id, Math.min(visits + 1, most));
    const gates =
      node.goalGate && !this.isLoose && !state.gates.has(node.id)
        ? withEntry(state.gates, node.id, 'silent')
        : state.gates;
    const after = (cleared: readonly string[]): FlowState => {
      const values = without(state.values, (key) => cleared.includes(key));
      return { ...state, values, gates, visits: counted };
    };
    const removesMore = again.some((key) => state.values.has(key));
    if (this.isLoose && removesMore) return [after(always), after([...always, ...again])];
    return [after(visits > 0 ? [...always, ...again] : always)];
  }

  #settle(node: ProgramNode, state: FlowState, choice: StageChoice, into: Departure[]): void {
    const { own, values, set } = judged(node, state, choice, this.keys);
    const inherits = node.handler.inheritsOutcome && own.status !== 'fail';
    const routed = inherits ? state.arriving : own;
    const after = set.size === 0 ? state : noteSet(state, this.program, set);
    this.#depart(node, after, { choice, own, routed, values }, 'whole', into);
  }

  #depart(
    node: ProgramNode,
    state: FlowState,
    {
      choice,
      own,
      routed,
      values,
    }: Omit<Judged, 'set'> & { readonly choice: StageChoice; readonly routed: Said },
    part: Departure['part'],
    into: Departure[],
  ): void {
    const { branch } = state;
    const scope = scopeOf(routed, values);
    const route = chooseRoute({
      node,
      ownStatus: own.status,
      routed,
      scope,
      handlerOf: this.#handlerOf,
      jumpTo: branch === undefined ? this.#jumpTo : (targets) => this.#jumpTo(targets, branch),
    });
    const gates = this.isLoose ? state.gates : gatesAfter(state.gates, node, routed.status);
    const line = lineOf(branch);
    const ownStatus = own.status;
    for (const { next, ending } of this.#after(route, routed, { ...state, values, gates }))
      into.push({ node, line, part, choice, ownStatus, routed, values, scope, route, next, ending });
  }

  readonly #handlerOf = (id: string) => this.program.nodes.get(id)?.handler;

  readonly #jumpTo = (targets: readonly JumpTarget[], branch?: FlowBranch): JumpTarget | undefined => {
    const { exitId, nodes } = this.program;
    return targets.find(
      ({ nodeId: id }) =>
        id !== exitId && nodes.has(id) && (branch === undefined || mayJumpInside(this.program, branch, id)),
    );
  };

  #after(route: ChosenRoute, routed: Said, state: FlowState): readonly Continuation[] {
    const { branch } = state;
    switch (route.kind) {
      case 'fail':
        return branch === undefined ? [failed] : this.#forks.endBranch(state, branch, 'fail');
      case 'end':
        if (branch !== undefined) return this.#forks.endBranch(state, branch, routed.status);
        return this.#end({ ...state, arriving: routed });
      case 'join':
        return this.#move(route.to, routed, state);
      case 'jump':
        return this.#move(route.target.nodeId, routed, state);
      case 'edge':
        if (!route.edge.loopRestart) return this.#move(route.edge.to, routed, state);
        if (branch !== undefined) return this.#forks.endBranch(state, branch, 'fail');
        return [this.#restarted(state, route.edge.to)];
    }
  }

  #move(nodeId: string, routed: Said, state: FlowState): readonly Continuation[] {
    const { branch } = state;
    if (branch !== undefined) {
      if (isBranchEnd(this.program, branch, nodeId))
        return this.#forks.endBranch(state, branch, routed.status);
      if (parallelsOf(branch).has(nodeId)) return this.#forks.endBranch(state, branch, 'fail');
    }
    return [{ next: this.#to(nodeId, routed, state), ending: 'moves' }];
  }

  /** Only a diamond routes on the outcome before it, and one to which the exit sends back. */
  #to(nodeId: string, routed: Said, state: FlowState): FlowState {
    const matters = this.program.nodes.get(nodeId)?.handler.inheritsOutcome || nodeId === this.program.exitId;
    const live = this.isLoose ? this.live.near(nodeId) : this.live.entering(nodeId);
    const values = without(state.values, (key) => !live.has(key));
    return { ...state, nodeId, hasJoined: false, values, arriving: matters ? routed : begun };
  }

  #leaveFork(node: ProgramNode, state: FlowState): Steps {
    const own = state.arriving;
    // A failure would begin all branches again.
    if (!this.isLoose && retries(node, own.status)) return { ...notFollowed, isEntered: false };
    const values = without(state.values, (key) => !this.keys.values.has(key));
    const choice = { ...own, updates: new Map() };
    const departures: Departure[] = [];
    this.#depart(node, state, { choice, own, routed: own, values }, 'joins', departures);
    return { departures, areAll: this.keys.isExact, isEntered: false };
  }

  #atExit(node: ProgramNode, state: FlowState): Steps {
    const { arriving: routed, values, branch } = state;
    const choice = { ...begun, updates: new Map() };
    const scope = scopeOf(routed, values);
    const route = { kind: 'end' } as const;
    const outcome = { choice, ownStatus: begun.status, routed, values, scope, route };
    const settled = { node, line: lineOf(branch), part: 'whole' as const, ...outcome };
    const departures = this.#end(state).map((after) => ({ ...settled, ...after }));
    return { departures, areAll: true, isEntered: true };
  }

  /** Ends the run if the goal gates hold; else it is sent back, or fails (§3.4, SEMANTICS 32–34). */
  #end(state: FlowState): readonly Continuation[] {
    const sendBack = (nodeId: string, redirects: number): Continuation => ({
      next: this.#to(nodeId, state.arriving, { ...state, redirects }),
      ending: 'sent_back',
    });
    return ends(this.program, state, this.isLoose, sendBack);
  }

  /** State after a restart, which keeps nothing but what the start assigns (SEMANTICS 36). */
  #restarted(state: FlowState, nodeId: string): Continuation {
    const { maxRestarts } = this.program.limits;
    if (state.restarts >= maxRestarts && !this.isLoose) return failed;
    const restarts = this.isLoose ? 0 : counted(state.restarts, maxRestarts);
    return {
      next: { ...this.first(), nodeId, values: this.#initialValues(), restarts },
      ending: 'restarted',
    };
  }

  #initialValues(): FlowValues {
    const first = this.first();
    const node = this.program.nodes.get(this.program.startId);
    const [choice] = node === undefined ? [] : this.#choicesOf(node).choices;
    return node === undefined || choice === undefined
      ? first.values
      : judged(node, first, choice, this.keys).values;
  }
}

function isRestart({ attributes }: Program['graph']['edges'][number]): boolean {
  return attributes.has('loop_restart');
}

/** A fan-in chooses a branch that has not failed, if there is one (SEMANTICS 53, 53a). */
function choiceOfFanIn({ values }: FlowState): StageChoice {
  const found = values.get(resultsKey) ?? 'failed';
  return { ...begun, status: found === 'failed' ? 'fail' : 'success', updates: new Map() };
}

/** State of a branch that remembers what it has set, if that is merged. */
function noteSet(state: FlowState, program: Program, set: FlowValues): FlowState {
  const { branch } = state;
  if (branch === undefined || set.size === 0 || !isInMerge(program, branch)) return state;
  return { ...state, branch: flowBranch({ ...branch, own: new Map([...branch.own, ...set]) }) };
}

function without(values: FlowValues, isRemoved: (key: string) => boolean): FlowValues {
  for (const key of values.keys())
    if (isRemoved(key)) return new Map([...values].filter(([name]) => !isRemoved(name)));
  return values;
}
