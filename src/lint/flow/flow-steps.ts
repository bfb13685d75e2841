import { type ChosenRoute, chooseRoute } from '../../graph/choose-route.js';
import { type ConditionScope, evaluateCondition } from '../../graph/evaluate-condition.js';
import type { JsonValue } from '../../graph/json.js';
import { lookUp, textOfValue } from '../../graph/look-up.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import type { FlowKeys } from './flow-keys.js';
import { type FlowState, type GateState, type Said, withEntry } from './flow-state.js';
import { type KeyRead, liveKeys } from './live-keys.js';
import { type StageChoice, stageChoices } from './stage-choices.js';

/** A visit of a node has ended in one of the possible ways. */
export interface Departure {
  readonly node: ProgramNode;
  /** What the stage itself says. */
  readonly choice: StageChoice;
  /** The outcome that routes. */
  readonly routed: Said;
  /** Followed values after the visit. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Scope in which the conditions of the edges are judged. */
  readonly scope: ConditionScope;
  readonly route: ChosenRoute;
  /** Undefined if the run ends here. */
  readonly next: FlowState | undefined;
  /** How the run continues or ends: `sent_back` by a goal gate, `restarted` without what was before. */
  readonly ending: 'moves' | 'restarted' | 'sent_back' | 'completed' | 'failed';
}

/** What can follow a state. */
export interface Steps {
  readonly departures: readonly Departure[];
  /** False if more can follow than that: a limit was reached, or a part of the node is not followed. */
  readonly areAll: boolean;
  /** True if the visit begins; a limit may keep the run from it. */
  readonly isEntered: boolean;
}

const nowhere: Steps = { departures: [], areAll: true, isEntered: false };
const notFollowed: Steps = { departures: [], areAll: false, isEntered: true };
const start: Said = { status: 'success', preferred_label: undefined, suggested_next_ids: undefined };

/** Transitions of a program: those of the machine, over states that keep only what routes depend on. */
export class FlowSteps {
  readonly #program: Program;
  readonly #keys: FlowKeys;
  /** Nodes whose visits are counted, with the number beyond which they are alike. */
  readonly #counted = new Map<string, number>();
  readonly #isFollowed = new Map<string, boolean>();
  /** Keys of which something that can follow a node depends on the value. */
  readonly #live: (nodeId: string) => ReadonlySet<string>;
  readonly #choices = new Map<string, ReturnType<typeof stageChoices>>();

  constructor(program: Program, keys: FlowKeys, wanted: KeyRead | undefined) {
    this.#program = program;
    this.#keys = keys;
    this.#live = liveKeys(program, keys, wanted);
    for (const { id, maxVisits, clears } of program.nodes.values()) {
      if (maxVisits !== undefined) this.#counted.set(id, maxVisits);
      else if (clears.again.some((key) => keys.values.has(key))) this.#counted.set(id, 1);
    }
  }

  first(): FlowState {
    return {
      nodeId: this.#program.startId,
      arriving: start,
      values: new Map(),
      gates: new Map(),
      visits: new Map(),
      restarts: 0,
      redirects: 0,
    };
  }

  from(state: FlowState): Steps {
    const node = this.#program.nodes.get(state.nodeId);
    if (node === undefined || node.parallel !== undefined || node.handler.joins) return notFollowed;
    if (node.id === this.#program.exitId) return this.#atExit(node, state);
    const visits = state.visits.get(node.id) ?? 0;
    if (node.maxVisits !== undefined && visits >= node.maxVisits && node.id !== this.#program.startId)
      return nowhere;
    if (!this.#follows(node)) return notFollowed;
    const entered = this.#entered(node, state, visits);
    const { choices, areAll } = this.#choicesOf(node);
    const departures = choices.map((choice) => this.#settle(node, entered, choice));
    return { departures, areAll: areAll && this.#keys.isExact, isEntered: true };
  }

  /** False for a node whose route depends on what is not followed. */
  #follows({ id, edges, ownRules, node }: ProgramNode): boolean {
    const known = this.#isFollowed.get(id);
    if (known !== undefined) return known;
    const conditions = edges.flatMap(({ condition }) => condition ?? []);
    const hasUnreadable = edges.some(({ condition, conditionText }) => !condition && conditionText !== '');
    const own = ownRules?.failWhen;
    const follows =
      !hasUnreadable &&
      [...conditions, ...(own === undefined ? [] : [own])].every((one) => this.#keys.isFollowed(one)) &&
      (ownRules?.assignments ?? []).every(
        ({ key, value }) => !this.#keys.values.has(key) || this.#isKnown(value),
      ) &&
      !node.attributes.has('retry_when');
    this.#isFollowed.set(id, follows);
    return follows;
  }

  #isKnown(value: ValueTemplate): boolean {
    if (value.kind === 'constant') return true;
    if (value.kind !== 'text') return false;
    return value.template.parts.every(
      (part) => part.kind !== 'value' || this.#keys.values.has(part.path.replace(/^(?:context|state)\./, '')),
    );
  }

  #choicesOf(node: ProgramNode): ReturnType<typeof stageChoices> {
    const known = this.#choices.get(node.id);
    if (known !== undefined) return known;
    const inherits = (id: string) => this.#program.nodes.get(id)?.handler.inheritsOutcome === true;
    const live = this.#live(node.id);
    const values = new Map([...this.#keys.values].filter(([key]) => live.has(key)));
    const found = stageChoices(this.#program.graph, node, values, inherits);
    this.#choices.set(node.id, found);
    return found;
  }

  #entered(node: ProgramNode, state: FlowState, visits: number): FlowState {
    const cleared = visits > 0 ? [...node.clears.always, ...node.clears.again] : node.clears.always;
    let { values } = state;
    if (cleared.some((key) => values.has(key)))
      values = new Map([...values].filter(([key]) => !cleared.includes(key)));
    const most = this.#counted.get(node.id);
    const counted =
      most === undefined ? state.visits : withEntry(state.visits, node.id, Math.min(visits + 1, most));
    const gates =
      node.goalGate && !state.gates.has(node.id) ? withEntry(state.gates, node.id, 'silent') : state.gates;
    return { ...state, values, gates, visits: counted };
  }

  #settle(node: ProgramNode, state: FlowState, choice: StageChoice): Departure {
    const { own, values } = this.#judged(node, state, choice);
    const inherits = node.handler.inheritsOutcome && own.status !== 'fail';
    const routed = inherits ? state.arriving : own;
    const scope = scopeOf(routed, values);
    const route = chooseRoute({
      node,
      ownStatus: own.status,
      routed,
      scope,
      handlerOf: (id) => this.#program.nodes.get(id)?.handler,
      jumpTo: (targets) =>
        targets.find(({ nodeId }) => nodeId !== this.#program.exitId && this.#program.nodes.has(nodeId)),
    });
    const gates = gatesAfter(state.gates, node, routed.status);
    const settled = { node, choice, routed, values, scope, route };
    return { ...settled, ...this.#after(settled, { ...state, values, gates }) };
  }

  /** Outcome and values after what the node itself assigns and judges (SEMANTICS 102, 103). */
  #judged(node: ProgramNode, state: FlowState, choice: StageChoice) {
    let values = state.values;
    if (choice.updates.size > 0) values = new Map([...values, ...choice.updates]);
    const rules = node.ownRules;
    if (rules === undefined || choice.status === 'fail') return { own: choice, values };
    const before = values;
    for (const { key, value } of rules.assignments) {
      if (this.#keys.values.has(key)) values = withEntry(values, key, rendered(value, before));
    }
    const isSuccess = choice.status === 'success' || choice.status === 'partial_success';
    if (rules.failWhen === undefined || !isSuccess) return { own: choice, values };
    const routed = node.handler.inheritsOutcome ? state.arriving : choice;
    if (!evaluateCondition(rules.failWhen, scopeOf(routed, values))) return { own: choice, values };
    return { own: { ...choice, status: 'fail' as const }, values: before };
  }

  #after(
    { routed, route }: Pick<Departure, 'routed' | 'route'>,
    state: FlowState,
  ): Pick<Departure, 'next' | 'ending'> {
    switch (route.kind) {
      case 'fail':
        return { next: undefined, ending: 'failed' };
      case 'end':
        return this.#end({ ...state, arriving: routed });
      case 'join':
        return { next: undefined, ending: 'failed' };
      case 'jump':
        return { next: this.#to(route.target.nodeId, routed, state), ending: 'moves' };
      case 'edge':
        return route.edge.loopRestart
          ? this.#restarted(route.edge.to, state)
          : { next: this.#to(route.edge.to, routed, state), ending: 'moves' };
    }
  }

  /** Only a diamond routes on the outcome before it, and one to which the exit sends back. */
  #to(nodeId: string, routed: Said, state: FlowState): FlowState {
    const target = this.#program.nodes.get(nodeId);
    const matters = target?.handler.inheritsOutcome || nodeId === this.#program.exitId;
    const live = this.#live(nodeId);
    const isDead = ([key]: readonly [string, JsonValue]): boolean => !live.has(key);
    const entries = [...state.values];
    const values = entries.some(isDead) ? new Map(entries.filter((entry) => !isDead(entry))) : state.values;
    return { ...state, nodeId, values, arriving: matters ? routed : start };
  }

  #restarted(nodeId: string, state: FlowState): Pick<Departure, 'next' | 'ending'> {
    const { maxRestarts } = this.#program.limits;
    if (state.restarts >= maxRestarts) return { next: undefined, ending: 'failed' };
    const { arriving, values } = this.#initial();
    const next = {
      ...this.first(),
      nodeId,
      arriving,
      values,
      restarts: counted(state.restarts, maxRestarts),
    };
    return { next, ending: 'restarted' };
  }

  /** What the start assigns is there again after a restart (SEMANTICS 36). */
  #initial(): FlowState {
    const first = this.first();
    const node = this.#program.nodes.get(this.#program.startId);
    const [choice] = node === undefined ? [] : this.#choicesOf(node).choices;
    if (node === undefined || choice === undefined) return first;
    return { ...first, values: this.#judged(node, first, choice).values };
  }

  #atExit(node: ProgramNode, state: FlowState): Steps {
    const routed = state.arriving;
    const choice = { ...start, updates: new Map<string, JsonValue>() };
    const scope = scopeOf(routed, state.values);
    const { values } = state;
    const settled = { node, choice, routed, values, scope, route: { kind: 'end' } as const };
    return { departures: [{ ...settled, ...this.#end(state) }], areAll: true, isEntered: true };
  }

  /** Ends the run if the goal gates hold; else it is sent back, or fails (§3.4, SEMANTICS 32–34). */
  #end(state: FlowState): Pick<Departure, 'next' | 'ending'> {
    const { goalGates, goalGateTargets, requireGoalGates, limits, exitId, nodes } = this.#program;
    const unsatisfied = [...state.gates].find(([, said]) => said === 'unsatisfied')?.[0];
    const missing = requireGoalGates
      ? goalGates.find(({ id }) => (state.gates.get(id) ?? 'silent') === 'silent')?.id
      : undefined;
    const gate = nodes.get(unsatisfied ?? missing ?? '');
    if (gate === undefined) return { next: undefined, ending: 'completed' };
    const target = [...gate.jumpTargets, ...goalGateTargets].find(
      (one) => one.nodeId !== exitId && nodes.has(one.nodeId),
    );
    if (target === undefined || state.redirects >= limits.maxGoalGateRedirects)
      return { next: undefined, ending: 'failed' };
    const sent = { ...state, redirects: counted(state.redirects, limits.maxGoalGateRedirects) };
    return { next: this.#to(target.nodeId, state.arriving, sent), ending: 'sent_back' };
  }
}

/** Most of a limit up to which its count is kept; a larger one is checked on the run that was found. */
const countedUpTo = 3;

function counted(count: number, limit: number): number {
  return limit <= countedUpTo ? count + 1 : 0;
}

function scopeOf(routed: Said, values: ReadonlyMap<string, JsonValue>): ConditionScope {
  return {
    outcome: routed.status,
    preferredLabel: routed.preferred_label ?? '',
    lookup: (key) => values.get(key),
  };
}

/** A diamond counts with the outcome that it passes on; a stage that was skipped says nothing (SEMANTICS 32). */
function gatesAfter(
  gates: FlowState['gates'],
  { id, goalGate }: ProgramNode,
  status: Said['status'],
): ReadonlyMap<string, GateState> {
  if (!goalGate || status === 'skipped') return gates;
  const isSatisfied = status === 'success' || status === 'partial_success';
  const said: GateState = isSatisfied ? 'satisfied' : 'unsatisfied';
  if (gates.get(id) !== 'silent') return withEntry(gates, id, said);
  const others = [...gates].filter(([gate]) => gate !== id);
  return new Map<string, GateState>([...others, [id, said]]);
}

function rendered(value: ValueTemplate, values: ReadonlyMap<string, JsonValue>): JsonValue {
  if (value.kind === 'constant') return value.value;
  if (value.kind !== 'text') return null;
  const parts = value.template.parts.map((part) =>
    part.kind === 'value' ? (lookUp(part.path, { lookup: (key) => values.get(key) }) ?? null) : part.text,
  );
  const [only = null] = parts;
  return value.isWhole ? only : parts.map((part) => textOfValue(part ?? undefined)).join('');
}
