import type { Graph, Node } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { clearedKeys } from '../../graph/values/cleared-keys.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { contextKey } from '../../graph/values/key-lists.js';
import { type OwnRules, ownRulesOf } from '../../graph/values/own-rules.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import { writtenKeys } from '../../graph/values/written-keys.js';
import { isClosed } from './closed-stages.js';
import { contextWriters, writingNodes } from './context-writes.js';
import { type ControlFlow, controlFlow, type ProgramPoint, type Step } from './control-flow.js';
import { type Joining, joinedState, joinings } from './joined-values.js';
import {
  type Effect,
  type EffectsOf,
  expectedEffects,
  failureMayTake,
  possibleEffects,
  success,
} from './stage-effects.js';
import { listsByItem } from './unwritten-reads.js';
import {
  anything,
  either,
  isUnknown,
  mayBeMissing,
  missing,
  narrowed,
  type Shape,
  shapeBelow,
  shapeOf,
  shapeOfType,
  shapeOfValue,
  withoutMissing,
} from './value-shape.js';
import { atBranch, mergedStates, type State, StateDraft, stateOf } from './value-state.js';
import { valueOfEngine } from './values-of-engine.js';

/** Values that the context may hold where control is, according to `writes`, `assign.*` and inputs (SEMANTICS 101–103). */
export interface ValueFlow {
  /** Value of a path as the stage itself reads it. */
  before(node: Node, path: string): Shape;
  /** Value of a path as conditions read it, whatever the outcome. */
  after(node: Node, path: string): Shape;
  /** The same unless the stage has failed, or passes a failure on. */
  afterSuccess(node: Node, path: string): Shape;
  /** Value that an assignment of a stage gives, before the `writes` of the stage is checked. */
  assigned(node: Node, value: ValueTemplate): Shape;
}

/**
 * Follows the values of keys that stages declare or assign. A `writes` is believed: its keys have their types, and only stages
 * that declare them set them; a key that is only assigned may also be set by a stage that does not declare what it writes.
 */
export const valueFlow = perGraph(
  (graph, handlerTypes): ValueFlow => new Tracker(graph, handlerTypes, possibleEffects(graph, handlerTypes)),
);

/** The same for outcomes that the author of the pipeline must expect. */
export const expectedValueFlow = perGraph(
  (graph, handlerTypes): ValueFlow => new Tracker(graph, handlerTypes, expectedEffects(graph, handlerTypes)),
);

/** Maximum of keys times points; beyond it nothing is claimed. */
const mostCells = 400_000;

/** State at a point, for a diamond apart from the one with which failures arrive. */
interface Arrival {
  readonly place: ProgramPoint;
  readonly hasFailed: boolean;
}

class Tracker implements ValueFlow {
  readonly #graph: Graph;
  readonly #handlerTypes: KnownHandlerTypes;
  readonly #effectsOf: EffectsOf;
  readonly #flow: ControlFlow;
  readonly #keys: readonly string[];
  readonly #numberOf: ReadonlyMap<string, number>;
  /** Keys that some stage declares: others do not set them. */
  readonly #declared: ReadonlySet<string>;
  readonly #items: ReadonlyMap<string, readonly string[]>;
  /** Values that a run is given from outside under the name of a key, at its start or when it is resumed (SEMANTICS 97). */
  readonly #given: ReadonlyMap<number, Shape>;
  readonly #joinings: ReadonlyMap<number, Joining>;
  readonly #mayClaim: boolean;
  #states: (State | undefined)[] | undefined;

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes, effectsOf: EffectsOf) {
    this.#graph = graph;
    this.#handlerTypes = handlerTypes;
    this.#effectsOf = effectsOf;
    this.#flow = controlFlow(graph, handlerTypes);
    const writers = contextWriters(graph, handlerTypes);
    const written = [...writingNodes(graph)].flatMap((node) => writtenKeys(node));
    const inputs = [...(declaredInputs(graph)?.values() ?? [])].filter(
      ({ key }) => writers.declaredFor(key).size > 0,
    );
    this.#keys = [...new Set([...written, ...inputs].map(({ key }) => key))];
    this.#numberOf = new Map(this.#keys.map((key, index) => [key, index]));
    this.#declared = new Set(written.filter(({ span }) => span !== undefined).map(({ key }) => key));
    this.#given = new Map(
      inputs.map(({ key }) => [
        this.#numberOf.get(key) ?? 0,
        valueOfEngine(graph, `inputs.${key}`, handlerTypes) ?? anything,
      ]),
    );
    this.#items = listsByItem(graph);
    this.#joinings = joinings(graph, this.#flow);
    const cells = this.#keys.length * this.#flow.points.length * (this.#joinings.size > 0 ? 2 : 1);
    this.#mayClaim =
      written.length > 0 && this.#flow.isComplete && cells <= mostCells && writers.custom.size === 0;
  }

  before(node: Node, path: string): Shape {
    return this.#valueAt(node, path, (arrival) => [this.#entered(arrival)]);
  }

  after(node: Node, path: string): Shape {
    return this.#valueAt(node, path, (arrival) => this.#left(arrival).map(({ state }) => state));
  }

  afterSuccess(node: Node, path: string): Shape {
    return this.#valueAt(node, path, (arrival) =>
      this.#left(arrival).flatMap(({ state, hasFailed }) => (hasFailed ? [] : [state])),
    );
  }

  assigned(node: Node, value: ValueTemplate): Shape {
    const unknown = stateOf(
      this.#keys.map(() => anything),
      false,
    );
    if (!this.#mayClaim) return this.#shapeOfTemplate(value, unknown);
    const states = this.#reachedStates(node, (arrival) =>
      [success.keys, 'assigned' as const].map((keys) =>
        this.#declaredState(arrival.place, this.#entered(arrival), keys),
      ),
    );
    if (states.length === 0) return this.#shapeOfTemplate(value, unknown);
    return states.map((state) => this.#shapeOfTemplate(value, state)).reduce(either);
  }

  #valueAt(node: Node, path: string, statesOf: (arrival: Arrival) => readonly State[]): Shape {
    const ofEngine = valueOfEngine(this.#graph, path, this.#handlerTypes);
    if (ofEngine !== undefined) return ofEngine;
    if (!this.#mayClaim) return anything;
    const result = this.#reachedStates(node, statesOf).map((state) => this.#read(path, state));
    return result.length === 0 ? anything : result.reduce(either);
  }

  /** States of the points of a node where control can be. */
  #reachedStates(node: Node, statesOf: (arrival: Arrival) => readonly State[]): readonly State[] {
    this.#states ??= this.#fixpoint();
    return this.#flow.placesOf(node.id).flatMap((point) => this.#arrivalsAt(point).flatMap(statesOf));
  }

  #arrivalsAt(point: ProgramPoint): readonly Arrival[] {
    return [false, true]
      .map((hasFailed): Arrival => ({ place: point, hasFailed }))
      .filter((arrival) => this.#stateOf(arrival) !== undefined);
  }

  #stateOf({ place: point, hasFailed }: Arrival): State | undefined {
    return this.#states?.[2 * point.index + (hasFailed ? 1 : 0)];
  }

  #fixpoint(): (State | undefined)[] {
    const states: (State | undefined)[] = [];
    this.#states = states;
    const open = new Set<number>();
    const arrive = (index: number, state: State, hasFailed: boolean): void => {
      const isDiamond = this.#flow.points[index]?.handler.inheritsOutcome === true;
      const slot = 2 * index + (isDiamond && hasFailed ? 1 : 0);
      const before = states[slot];
      const merged = before === undefined ? state : mergedStates(before, state);
      if (merged === before) return;
      states[slot] = merged;
      open.add(slot);
    };
    if (this.#flow.points.length > 0) arrive(0, this.#nothing(), false);
    // The joins last: each of them reads the ends of all its branches.
    const joins = new Set<number>();
    for (let slot = next(open, joins); slot !== undefined; slot = next(open, joins)) {
      const point = this.#flow.points[Math.floor(slot / 2)];
      if (point === undefined) continue;
      const joinPoint = this.#joinAfter(point);
      if (joinPoint !== undefined) joins.add(2 * joinPoint);
      const arrival = { place: point, hasFailed: slot % 2 === 1 };
      for (const step of this.#flow.stepsFrom(point.index)) {
        for (const { state, hasFailed } of this.#along(arrival, step)) arrive(step.to, state, hasFailed);
      }
    }
    return states;
  }

  /** Parallel node that merges the branch which may end at a point. */
  #joinAfter({ index, region }: ProgramPoint): number | undefined {
    if (region === undefined || this.#joinings.size === 0 || !this.#flow.endsAt(index)) return undefined;
    const fork = this.#flow.placesOf(region.parallelId).find((point) => point.region === region.around);
    return fork !== undefined && this.#joinings.has(fork.index) ? fork.index : undefined;
  }

  #nothing(): State {
    return stateOf(
      this.#keys.map(() => missing),
      this.#joinings.size > 0,
    );
  }

  /** States with which control arrives over a step. */
  #along(arrival: Arrival, { by, to }: Step): readonly Departure[] {
    switch (by) {
      case 'branch':
        return [{ state: atBranch(this.#entered(arrival)), hasFailed: false }];
      case 'goal_gate':
        return [{ state: this.#entered(arrival), hasFailed: false }];
      case 'join': {
        const mayFail = failureMayTake(this.#graph, arrival.place, this.#flow.points[to], this.#handlerTypes);
        return this.#left(arrival).filter(({ hasFailed }) => mayFail || !hasFailed);
      }
      case 'restart': {
        const first = this.#flow.points[0];
        const state = this.#nothing();
        return [{ state: first ? this.#transfer(first, state, success.keys) : state, hasFailed: false }];
      }
      case 'jump':
        return this.#left(arrival).filter(({ hasFailed }) => hasFailed);
      case 'edge':
        return this.#left(arrival, this.#flow.points[to]);
    }
  }

  #left(arrival: Arrival, target?: ProgramPoint): readonly Departure[] {
    const { place: point, hasFailed: isInherited } = arrival;
    const entered = this.#entered(arrival);
    if (point.handler.forks) return this.#leftFork(point, entered);
    return this.#effectsOf(point, target).flatMap(({ keys, hasFailed }): readonly Departure[] => {
      // A diamond passes on what arrives, or fails itself.
      const isPassing = point.handler.inheritsOutcome && keys === 'checked';
      if (isPassing && hasFailed !== isInherited) return [];
      return [{ state: this.#transfer(point, entered, keys), hasFailed }];
    });
  }

  /** A parallel node sets what its branches have set, if it merges them: also when it fails (SEMANTICS 107). */
  #leftFork({ index }: ProgramPoint, entered: State): readonly Departure[] {
    const joining = this.#joinings.get(index);
    return [false, true].flatMap((hasFailed): readonly Departure[] => {
      const state =
        joining === undefined
          ? entered
          : joinedState(joining, entered, (end) => this.#leftAtEnd(end), hasFailed);
      return state === undefined ? [] : [{ state, hasFailed }];
    });
  }

  /** State in which a branch succeeds at its end, undefined if it never does; the values of one that fails are lost. */
  #leftAtEnd(end: number): State | undefined {
    const point = this.#flow.points[end];
    const left = point === undefined ? [] : this.#arrivalsAt(point).flatMap((arrival) => this.#left(arrival));
    const [first, ...others] = left.flatMap(({ state, hasFailed }) => (hasFailed ? [] : [state]));
    return first && others.reduce(mergedStates, first);
  }

  /** State when the stage begins: a second visit removes what the first one has written. */
  #entered(arrival: Arrival): State {
    const { node, handler } = arrival.place;
    const state = this.#stateOf(arrival) ?? this.#nothing();
    const { again } = clearedKeys(node, handler);
    if (again.length === 0) return state;
    const next = new StateDraft(state);
    for (const key of again) this.#change(key, (number) => next.removePerhaps(number));
    return next;
  }

  #transfer(point: ProgramPoint, state: State, keys: Effect['keys']): State {
    const rules = ownRulesOf(point.node, point.handler);
    const declared = this.#declaredState(point, state, keys);
    if (rules === undefined || rules.assignments.length === 0 || keys === 'perhaps_set') return declared;
    const next = new StateDraft(declared);
    this.#assign(next, declared, rules, keys === 'checked');
    return next;
  }

  /** State after a stage, without what it assigns. */
  #declaredState({ node, handler }: ProgramPoint, state: State, keys: Effect['keys']): State {
    const rules = ownRulesOf(node, handler);
    const declaresAll = isClosed(node, handler);
    if (declaresAll && (rules === undefined || rules.writes.length === 0)) return state;
    const next = new StateDraft(state);
    if (!declaresAll) {
      for (const [number, key] of this.#keys.entries())
        if (!this.#declared.has(key)) next.setPerhaps(number, anything);
    }
    const mustBeSet = keys === 'checked' && !handler.inheritsOutcome;
    for (const { key, type, isOptional } of rules?.writes ?? []) {
      const declared = shapeOfType(type);
      this.#change(key, (number) => {
        if (mustBeSet && !isOptional)
          next.set(number, isUnknown(declared) ? declared : withoutMissing(declared));
        else next.setPerhaps(number, either(declared, missing));
      });
    }
    return next;
  }

  /**
   * All assignments of a stage see what was before them.
   * @param isChecked true if the values fit the `writes` of the stage, because it would have failed otherwise
   */
  #assign(next: StateDraft, seen: State, { assignments, writes }: OwnRules, isChecked: boolean): void {
    const entries = new Map(writes.map((entry) => [entry.key, entry]));
    for (const { key, value } of assignments) {
      const entry = isChecked ? entries.get(key) : undefined;
      const assigned = this.#shapeOfTemplate(value, seen);
      const fitting = entry === undefined ? assigned : narrowed(assigned, entry);
      // Nothing fits: then the stage never succeeds.
      const shape = fitting.size === 0 ? shapeOfType(entry?.type) : fitting;
      this.#change(key, (number) => next.set(number, shape));
    }
  }

  #shapeOfTemplate(value: ValueTemplate, state: State): Shape {
    switch (value.kind) {
      case 'constant':
        return shapeOfValue(value.value);
      case 'text': {
        const [part] = value.template.parts;
        if (!value.isWhole || part?.kind !== 'value') return shapeOfType({ kind: 'string' });
        return valueOfEngine(this.#graph, part.path, this.#handlerTypes) ?? this.#read(part.path, state);
      }
      case 'list':
        return shapeOf([{ kind: 'type', type: { kind: 'list' } }]);
      case 'map':
        return shapeOf([{ kind: 'type', type: { kind: 'map' } }]);
    }
  }

  /** The longest flat key that is present goes first, as in the context. */
  #read(path: string, { values }: State): Shape {
    const key = contextKey(path);
    const segments = key.split('.');
    if (this.#items.has(segments[0] ?? key)) return anything;
    let result: Shape = new Map();
    for (let length = segments.length; length > 0; length -= 1) {
      const number = this.#numberOf.get(segments.slice(0, length).join('.'));
      if (number === undefined) continue;
      const given = this.#given.get(number);
      const own = values[number] ?? missing;
      const value = shapeBelow(given === undefined ? own : either(own, given), segments.slice(length));
      result = either(withoutMissing(result), value);
      if (!mayBeMissing(value)) return result;
    }
    // Any stage may set a key that no stage declares.
    return result.size === 0 ? anything : result;
  }

  #change(key: string, change: (number: number) => void): void {
    const number = this.#numberOf.get(key);
    if (number !== undefined) change(number);
  }
}

/** State with which control leaves a point. */
interface Departure {
  readonly state: State;
  readonly hasFailed: boolean;
}

/** Takes a number out of the first set, or out of the second one if the first is empty. */
function next(first: Set<number>, second: Set<number>): number | undefined {
  const from = first.size > 0 ? first : second;
  const [taken] = from;
  if (taken !== undefined) from.delete(taken);
  return taken;
}
