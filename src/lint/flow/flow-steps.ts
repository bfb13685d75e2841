import { type ChosenRoute, chooseRoute } from '../../graph/choose-route.js';
import type { JumpTarget } from '../../graph/flow/jump-targets.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { attemptsFor, retries } from './attempts.js';
import { begun, type Departure, notFollowed, type Steps } from './departure.js';
import { EngineValues } from './engine-keys.js';
import { failuresThatEnd } from './failures-that-end.js';
import { counted, ends, gatesAfter } from './flow-ends.js';
import { type Fork, isBranchEnd, isFork, mayJumpInside, parallelsOf, resultsKey } from './flow-forks.js';
import type { FlowKeys } from './flow-keys.js';
import {
  type Continuation,
  type FlowBranch,
  type FlowState,
  type FlowValues,
  flowBranch,
  lineOf,
  type Said,
  stateWith,
  visitKey,
  withEntry,
} from './flow-state.js';
import { followsNode } from './follows-node.js';
import { ForkSteps, isInMerge } from './fork-steps.js';
import { type ChoicesTaken, type FreedProgram, waysToTake } from './free-choices.js';
import { inputPrefix } from './input-values.js';
import { type Judged, judged, type Knowledge, scopeOf } from './judged.js';
import type { LiveKeys } from './live-keys.js';
import { type StageChoice, stageChoices, type ToldApart, toldApartBy } from './stage-choices.js';

const nowhere: Steps = { departures: [], areAll: true, isEntered: false };
const failed: Continuation = { next: undefined, ending: 'failed' };
const open: Continuation = { next: undefined, ending: 'unknown' };
const failedRoute: ChosenRoute = { kind: 'fail', failure: 'stage' };
const noChoices: ChoicesTaken = { clauses: {}, assigned: new Map() };
const onlyWay: ReturnType<typeof waysToTake> = { taken: [noChoices], areAll: true };
/** Departures of one state after which the others are left out. */
const mostOfOne = 3000;

export interface FlowStepsOptions {
  readonly program: Program;
  readonly keys: FlowKeys;
  readonly live: LiveKeys;
  readonly isLoose?: boolean;
  /** Parts that are not followed, and taken in every way, by node. */
  readonly choices?: FreedProgram['choices'];
}

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
  readonly #engine: EngineValues;
  readonly #told: ToldApart | undefined;
  /** True if the start assigns values that a restart would have to remember. */
  readonly #startsAnew: boolean;
  /** Ways to take what is not followed, by node. */
  readonly #free = new Map<string, ReturnType<typeof waysToTake>>();

  constructor({ program, keys, live, isLoose = false, choices = new Map() }: FlowStepsOptions) {
    this.program = program;
    this.#engine = new EngineValues(keys.values, program);
    this.#told = toldApartBy(program, keys.values);
    for (const [id, some] of choices) this.#free.set(id, waysToTake(some));
    const { assignments = [] } = program.nodes.get(program.startId)?.ownRules ?? {};
    this.#startsAnew =
      choices.has(program.startId) ||
      assignments.some(({ key, value }) => value.kind !== 'constant' && keys.values.has(key));
    this.keys = keys;
    this.isLoose = isLoose;
    this.#forks = new ForkSteps(program, keys, this.#engine, isLoose);
    this.live = live;
    if (isLoose) return;
    for (const { id, maxVisits, clears } of program.nodes.values()) {
      const clearsAgain = clears.again.some((key) => keys.values.has(key));
      const most = Math.max(maxVisits ?? 0, clearsAgain ? 1 : 0, this.#engine.mostInLine(id));
      if (most > 0 || maxVisits !== undefined) this.#counted.set(id, most);
    }
  }

  /** False if states with the same place, outcome and values may have different futures. */
  get isMemoryless(): boolean {
    const { goalGates, graph } = this.program;
    const hasValues = [...this.keys.values.keys()].some((key) => key !== resultsKey);
    return !hasValues && this.#counted.size === 0 && goalGates.length === 0 && !graph.edges.some(isRestart);
  }

  /** States with which runs begin: one for each way to give the inputs that conditions read. */
  firsts(): readonly FlowState[] {
    return this.keys.beginnings.map((values) => this.#first(this.#engine.first(values)));
  }

  #first(values: FlowValues): FlowState {
    return {
      nodeId: this.program.startId,
      arriving: begun,
      hasJoined: false,
      values,
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
    const visits = this.#counted.size === 0 ? 0 : (state.visits.get(visitKey(state.branch, node.id)) ?? 0);
    const isFull = !this.isLoose && node.maxVisits !== undefined && visits >= node.maxVisits;
    if (isFull && node.id !== this.program.startId) return nowhere;
    if (!this.#follows(node)) return notFollowed;
    const entered = this.#entered(node, state, visits);
    if (isFork(node)) return this.#fork(node, entered);
    const { choices, areAll } = node.handler.joins
      ? { choices: [choiceOfFanIn(state)], areAll: true }
      : this.#choicesOf(node);
    const departures: Departure[] = [];
    const free = this.#free.get(node.id) ?? onlyWay;
    for (const one of entered)
      for (const choice of choices) {
        // Explorations give up after a few thousand departures. To make all of them for one state took seconds.
        if (departures.length > mostOfOne) return { departures, areAll: false, isEntered: true };
        for (const taken of free.taken) this.#settle(node, one, choice, departures, taken);
      }
    return { departures, areAll: areAll && free.areAll && this.keys.isExact, isEntered: true };
  }

  #fork(node: Fork, entered: readonly FlowState[]): Steps {
    const [only] = entered;
    if (entered.length === 1 && only !== undefined) return this.#forks.from(node, only);
    const all = entered.map((state) => this.#forks.from(node, state));
    return {
      departures: all.flatMap(({ departures }) => departures),
      areAll: all.every(({ areAll }) => areAll),
      isEntered: true,
    };
  }

  #follows(node: ProgramNode): boolean {
    const known = this.#isFollowed.get(node.id);
    if (known !== undefined) return known;
    const follows = followsNode(node, this.keys, this.isLoose);
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
    const found = stageChoices(this.program, node, values, this.#told);
    this.#choices.set(node.id, found);
    return found;
  }

  /** States after the beginning of a visit; several if it is not known which visit it is. */
  #entered(node: ProgramNode, state: FlowState, visits: number): readonly FlowState[] {
    const { always, again } = node.clears;
    const most = this.#counted.get(node.id);
    const counted =
      most === undefined
        ? state.visits
        : withEntry(state.visits, visitKey(state.branch, node.id), Math.min(visits + 1, most));
    const gates =
      node.goalGate && !this.isLoose && !state.gates.has(node.id)
        ? withEntry(state.gates, node.id, 'silent')
        : state.gates;
    const after = (cleared: readonly string[]): readonly FlowState[] => {
      const kept = without(state.values, (key) => cleared.includes(key));
      const all = this.#engine.visited(kept, node.id, this.isLoose ? undefined : visits + 1);
      return all.map((values) => stateWith(state, { values, gates, visits: counted }));
    };
    const removesMore = again.some((key) => state.values.has(key));
    if (this.isLoose && removesMore) return [...after(always), ...after([...always, ...again])];
    return after(visits > 0 ? [...always, ...again] : always);
  }

  #settle(
    node: ProgramNode,
    state: FlowState,
    choice: StageChoice,
    into: Departure[],
    { clauses, assigned }: ChoicesTaken = noChoices,
  ): void {
    const isFree = Object.keys(clauses).length > 0;
    const known = isFree
      ? stateWith(state, { values: new Map([...state.values, ...Object.entries(clauses)]) })
      : state;
    const said = judged(node, known, choice, this.#knowledge, assigned);
    const { values, set } = said;
    const seen = this.#engine.routed(this.#engine.settled(values, node.id, said.own), node.id, false);
    const attempts = attemptsFor(node, choice.status, said.own, seen, this.#knowledge);
    const isUsedUp = node.allowPartial && (attempts === undefined || attempts > 1);
    const own: Said = isUsedUp ? { ...said.own, status: 'partial_success' } : said.own;
    const inherits = node.handler.inheritsOutcome && own.status !== 'fail';
    const routed = inherits ? state.arriving : own;
    const after = set.size === 0 ? state : noteSet(state, this.program, set);
    this.#depart(node, after, { choice, own, routed, values, attempts }, 'whole', into);
    const isOpen = isUsedUp ? attempts === undefined : mayBeUsedUp(node, choice);
    if (!isOpen) return;
    // The last of several failures counts as a part of a success, which no rule judges.
    const last = isUsedUp ? said.own : { ...choice, status: 'partial_success' as const };
    this.#depart(
      node,
      after,
      { choice, own: last, routed: last, values, attempts: undefined },
      'whole',
      into,
    );
  }

  get #knowledge(): Knowledge {
    return { keys: this.keys, engine: this.#engine, isFree: this.isLoose };
  }

  #depart(
    node: ProgramNode,
    state: FlowState,
    { choice, own, routed, values: before, attempts }: Settling,
    part: Departure['part'],
    into: Departure[],
  ): void {
    const inherits = node.handler.inheritsOutcome && own.status !== 'fail';
    const settled = this.#engine.routed(this.#engine.settled(before, node.id, routed), node.id, inherits);
    const after = own.status === 'fail' ? this.#engine.failed(settled, node.id) : settled;
    for (const { asked, count } of this.#engine.retriesOf(node, own.status, attempts))
      this.#route(
        node,
        state,
        { choice, own, routed, attempts, asked, values: this.#engine.retried(after, node.id, count) },
        part,
        into,
      );
  }

  #route(
    node: ProgramNode,
    state: FlowState,
    { choice, own, routed, values, attempts, asked }: Settling & Pick<Departure, 'asked'>,
    part: Departure['part'],
    into: Departure[],
  ): void {
    const { branch } = state;
    const scope = scopeOf(routed, values);
    const ownStatus = own.status;
    const routeBy = (jumpTo: (targets: readonly JumpTarget[]) => JumpTarget | undefined) =>
      chooseRoute({ node, ownStatus, routed, scope, handlerOf: this.#handlerOf, jumpTo });
    const route = routeBy(branch === undefined ? this.#jumpTo : (targets) => this.#jumpTo(targets, branch));
    const gates = this.isLoose ? state.gates : gatesAfter(state.gates, node, routed.status);
    const after = stateWith(state, { values, gates });
    const line = lineOf(branch);
    // Each field by its name, as in stateWith.
    const depart = (
      taken: ChosenRoute,
      { next, ending }: Continuation,
      tried: Departure['attempts'],
    ): Departure => ({
      node,
      line,
      part,
      choice,
      ownStatus,
      routed,
      values,
      scope,
      asked,
      attempts: tried,
      route: taken,
      next,
      ending,
    });
    const ways = this.#after(route, routed, after);
    for (const way of ways) into.push(depart(route, way, attempts));
    if (routed.status !== 'fail' || !failuresThatEnd(this.program).has(node.id)) return;
    const staysInBranch = branch !== undefined && ways.some(({ next }) => next?.branch === branch);
    const notSentBack = route.kind === 'jump' ? routeBy(() => undefined) : failedRoute;
    const others = [
      ...(notSentBack.kind === 'fail' ? [] : [notSentBack]),
      ...(staysInBranch ? [failedRoute] : []),
    ];
    // No script is known with which a failure is final for the same reason as before.
    for (const other of others)
      for (const way of this.isLoose ? this.#after(other, routed, after) : [open])
        into.push(depart(other, way, undefined));
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
        return this.#end(stateWith(state, { arriving: routed }));
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
    return stateWith(state, { nodeId, hasJoined: false, values, arriving: matters ? routed : begun });
  }

  #leaveFork(node: ProgramNode, state: FlowState): Steps {
    const own = state.arriving;
    // A failure would begin all branches again.
    if (!this.isLoose && retries(node, own.status)) return { ...notFollowed, isEntered: false };
    const values = without(state.values, (key) => !this.keys.values.has(key));
    const choice = { ...own, updates: new Map() };
    const departures: Departure[] = [];
    this.#depart(node, state, { choice, own, routed: own, values, attempts: 1 }, 'joins', departures);
    return { departures, areAll: this.keys.isExact, isEntered: false };
  }

  #atExit(node: ProgramNode, state: FlowState): Steps {
    const { arriving: routed, values, branch } = state;
    const choice = { ...begun, updates: new Map() };
    const scope = scopeOf(routed, values);
    const route = { kind: 'end' } as const;
    const outcome = { choice, ownStatus: begun.status, routed, values, scope, attempts: 1, asked: 0, route };
    const settled = { node, line: lineOf(branch), part: 'whole' as const, ...outcome };
    const departures = this.#end(state).map((after) => ({ ...settled, ...after }));
    return { departures, areAll: true, isEntered: true };
  }

  /** Ends the run if the goal gates hold; else it is sent back, or fails (§3.4, SEMANTICS 32–34). */
  #end(state: FlowState): readonly Continuation[] {
    const sendBack = (nodeId: string, redirects: number): Continuation => ({
      next: this.#to(nodeId, state.arriving, stateWith(state, { redirects })),
      ending: 'sent_back',
    });
    return ends(this.program, state, this.isLoose, sendBack);
  }

  /** State after a restart, which keeps nothing but what the start assigns (SEMANTICS 36). */
  #restarted(state: FlowState, nodeId: string): Continuation {
    const { maxRestarts } = this.program.limits;
    if (state.restarts >= maxRestarts && !this.isLoose) return failed;
    if (this.#startsAnew) return { next: undefined, ending: 'unknown' };
    const restarts = this.isLoose ? 0 : counted(state.restarts, maxRestarts);
    const values = this.#valuesAfterRestart(state.values);
    return { next: { ...this.#first(values), nodeId, restarts }, ending: 'restarted' };
  }

  #valuesAfterRestart(before: FlowValues): FlowValues {
    const inputs = without(before, (key) => !key.startsWith(inputPrefix));
    const first = this.#first(this.#engine.restarted(inputs, before));
    const node = this.program.nodes.get(this.program.startId);
    const [choice] = node === undefined ? [] : this.#choicesOf(node).choices;
    return node === undefined || choice === undefined
      ? first.values
      : judged(node, first, choice, this.#knowledge).values;
  }
}

/** End of the work of a visit. */
interface Settling extends Omit<Judged, 'set'>, Pick<Departure, 'attempts' | 'choice' | 'routed'> {}

/** True for a failure that other attempts follow, which the rules of its node would judge as a success. */
function mayBeUsedUp(node: ProgramNode, { status }: StageChoice): boolean {
  const isJudged = node.ownRules !== undefined && node.ownRules.retryWhen === undefined;
  return node.allowPartial && isJudged && retries(node, status);
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
