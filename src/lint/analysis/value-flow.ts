import { nodeAttribute } from '../../graph/attributes.js';
import { parallelsAround } from '../../graph/flow/branch-regions.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { outgoingEdges } from '../../graph/queries.js';
import type { StageStatus } from '../../graph/stage-status.js';
import { clearedKeys } from '../../graph/values/cleared-keys.js';
import { contextKey } from '../../graph/values/key-lists.js';
import { type OwnRules, ownRulesOf } from '../../graph/values/own-rules.js';
import type { ValueTemplate } from '../../graph/values/value-template.js';
import { writtenKeys } from '../../graph/values/written-keys.js';
import { failureWays } from '../conditions/routes-of.js';
import { expectedAlong, expectedOutcomes } from '../conditions/stage-outcomes.js';
import { isClosed } from './closed-stages.js';
import { contextWriters, writingNodes } from './context-writes.js';
import { type ControlFlow, controlFlow, type Place, type Step } from './control-flow.js';
import { mergesBranches } from './merged-branches.js';
import { listsByItem } from './unwritten-reads.js';
import {
  anything,
  either,
  isUnknown,
  mayBeMissing,
  missing,
  type Shape,
  shapeBelow,
  shapeOf,
  shapeOfType,
  shapeOfValue,
  withoutMissing,
} from './value-shape.js';
import { valueOfEngine } from './values-of-engine.js';

/** Values that the context may hold where control is, according to `writes`, `assign.*` and inputs (SEMANTICS 101–103). */
export interface ValueFlow {
  /** Value of a path as the stage itself reads it. */
  before(node: Node, path: string): Shape;
  /** Value of a path as conditions read it, whatever the outcome. */
  after(node: Node, path: string): Shape;
  /** The same unless the stage has failed, or passes a failure on. */
  afterSuccess(node: Node, path: string): Shape;
}

/**
 * Follows the values of keys that stages declare or assign. A `writes` is believed: its keys have their types, and only stages
 * that declare them set them; a key that is only assigned may also be set by a stage that does not declare what it writes.
 */
export const valueFlow = perGraph((graph, handlerTypes): ValueFlow => {
  return new Tracker(graph, handlerTypes, (place, target) =>
    possibleEffects(place, failureMayTake(graph, place, target, handlerTypes)),
  );
});

/** The same for outcomes that the author of the pipeline must expect. */
export const expectedValueFlow = perGraph((graph, handlerTypes): ValueFlow => {
  const outcomes = expectedOutcomes(graph, handlerTypes);
  const along = expectedAlong(graph, handlerTypes);
  return new Tracker(graph, handlerTypes, (place, target) => {
    const { node, handler } = place;
    const edges = target && outgoingEdges(graph, node.id).filter(({ to }) => to === target.node.id);
    const statuses = new Set(edges === undefined ? outcomes(node.id) : edges.flatMap(along));
    if (!failureMayTake(graph, place, target, handlerTypes)) statuses.delete('fail');
    return [...statuses].map((status) => expectedEffect(node, handler, status));
  });
});

/** True if a failure may lead along an edge to the target. */
function failureMayTake(
  graph: Graph,
  { node }: Place,
  target: Place | undefined,
  handlerTypes: KnownHandlerTypes,
): boolean {
  if (target === undefined) return true;
  const { id } = target.node;
  return failureWays(graph, node.id, handlerTypes).some((way) => 'edge' in way && way.edge.to === id);
}

/** Values of keys, by the number of the key. */
type State = readonly Shape[];

/** Effect of an outcome on the keys that a stage declares. */
interface Effect {
  readonly keys: 'all_set' | 'assigned' | 'perhaps_set';
  readonly hasFailed: boolean;
}

/** @param target undefined for all outcomes, wherever they lead */
type EffectsOf = (place: Place, target: Place | undefined) => readonly Effect[];

const success: Effect = { keys: 'all_set', hasFailed: false };
const failure: Effect = { keys: 'perhaps_set', hasFailed: true };
const passedFailure: Effect = { keys: 'all_set', hasFailed: true };
const partial: Effect = { keys: 'perhaps_set', hasFailed: false };

function possibleEffects({ node, handler }: Place, mayFail: boolean): readonly Effect[] {
  const failures = handler.inheritsOutcome ? [passedFailure, failure] : [failure];
  const others = handler.inheritsOutcome || handler.neverFails ? [success] : [success, partial];
  const isSafe = handler.neverFails && !handler.inheritsOutcome && !node.attributes.has('fail_when');
  return mayFail && !isSafe ? [...others, ...failures] : others;
}

function expectedEffect(node: Node, { inheritsOutcome }: HandlerType, status: StageStatus): Effect {
  if (status === 'success') return success;
  if (status === 'fail' || status === 'retry') return inheritsOutcome ? passedFailure : failure;
  if (inheritsOutcome) return success;
  return nodeAttribute(node, 'allow_partial') ? partial : { keys: 'assigned', hasFailed: false };
}

/** Maximum of keys times places; beyond it nothing is claimed. */
const mostCells = 400_000;

/** State at a place, for a diamond apart from the one with which failures arrive. */
interface Arrival {
  readonly place: Place;
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
  readonly #mayClaim: boolean;
  #states: (State | undefined)[] | undefined;

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes, effectsOf: EffectsOf) {
    this.#graph = graph;
    this.#handlerTypes = handlerTypes;
    this.#effectsOf = effectsOf;
    this.#flow = controlFlow(graph, handlerTypes);
    const written = [...writingNodes(graph)].flatMap((node) => writtenKeys(node));
    this.#keys = [...new Set(written.map(({ key }) => key))];
    this.#numberOf = new Map(this.#keys.map((key, index) => [key, index]));
    this.#declared = new Set(written.filter(({ span }) => span !== undefined).map(({ key }) => key));
    this.#items = listsByItem(graph);
    const isSmall = this.#keys.length * this.#flow.places.length <= mostCells;
    const isKnown = contextWriters(graph, handlerTypes).custom.size === 0;
    this.#mayClaim = this.#keys.length > 0 && this.#flow.isComplete && isSmall && isKnown;
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

  #valueAt(node: Node, path: string, statesOf: (arrival: Arrival) => readonly State[]): Shape {
    const ofEngine = valueOfEngine(this.#graph, path, this.#handlerTypes);
    if (ofEngine !== undefined) return ofEngine;
    if (!this.#mayClaim) return anything;
    this.#states ??= this.#fixpoint();
    let found: Shape = new Map();
    for (const place of this.#flow.placesOf(node.id)) {
      for (const hasFailed of [false, true]) {
        const arrival = { place, hasFailed };
        if (this.#stateOf(arrival) === undefined) continue;
        for (const state of statesOf(arrival)) found = either(found, this.#read(path, state));
      }
    }
    return found.size === 0 ? anything : found;
  }

  #stateOf({ place, hasFailed }: Arrival): State | undefined {
    return this.#states?.[2 * place.index + (hasFailed ? 1 : 0)];
  }

  #fixpoint(): (State | undefined)[] {
    const states: (State | undefined)[] = [];
    this.#states = states;
    const open = new Set<number>();
    const arrive = (index: number, state: State, hasFailed: boolean): void => {
      const isDiamond = this.#flow.places[index]?.handler.inheritsOutcome === true;
      const at = 2 * index + (isDiamond && hasFailed ? 1 : 0);
      const before = states[at];
      const merged = before === undefined ? state : mergedStates(before, state);
      if (merged === before) return;
      states[at] = merged;
      open.add(at);
    };
    if (this.#flow.places.length > 0) arrive(0, this.#nothing(), false);
    for (const at of open) {
      open.delete(at);
      const place = this.#flow.places[Math.floor(at / 2)];
      if (place === undefined) continue;
      const arrival = { place, hasFailed: at % 2 === 1 };
      for (const step of this.#flow.stepsFrom(place.index)) {
        for (const { state, hasFailed } of this.#along(arrival, step)) arrive(step.to, state, hasFailed);
      }
    }
    return states;
  }

  #nothing(): State {
    return this.#keys.map(() => missing);
  }

  /** States with which control arrives over a step. */
  #along(arrival: Arrival, { by, to }: Step): readonly Departure[] {
    switch (by) {
      case 'branch':
      case 'goal_gate':
        return [{ state: this.#entered(arrival), hasFailed: false }];
      case 'join': {
        const state = this.#joined(arrival.place, this.#entered(arrival));
        return [
          { state, hasFailed: false },
          { state, hasFailed: true },
        ];
      }
      case 'restart': {
        const first = this.#flow.places[0];
        const state = this.#nothing();
        return [{ state: first ? this.#transfer(first, state, success.keys) : state, hasFailed: false }];
      }
      case 'jump':
        return this.#left(arrival).filter(({ hasFailed }) => hasFailed);
      case 'edge':
        return this.#left(arrival, this.#flow.places[to]);
    }
  }

  /** State at a join: the one before the branches, and anything in keys whose values leave them (SEMANTICS 107). */
  #joined({ node }: Place, state: State): State {
    if (!mergesBranches(node)) return state;
    const inside = this.#flow.places.filter(
      ({ region }) => region && parallelsAround(region).includes(node.id),
    );
    const declaresAll = inside.every((place) => isClosed(place.node, place.handler));
    const written = new Set(inside.flatMap((place) => writtenKeys(place.node).map(({ key }) => key)));
    return this.#keys.map((key, index) => {
      const mayBeSet = written.has(key) || (!declaresAll && !this.#declared.has(key));
      return mayBeSet ? anything : (state[index] ?? missing);
    });
  }

  #left(arrival: Arrival, target?: Place): readonly Departure[] {
    const { place, hasFailed: isInherited } = arrival;
    const entered = this.#entered(arrival);
    return this.#effectsOf(place, target).flatMap(({ keys, hasFailed }): readonly Departure[] => {
      // A diamond passes on what arrives, or fails itself.
      const isPassing = place.handler.inheritsOutcome && keys === 'all_set';
      if (isPassing && hasFailed !== isInherited) return [];
      return [{ state: this.#transfer(place, entered, keys), hasFailed }];
    });
  }

  /** State when the stage begins: a second visit removes what the first one has written. */
  #entered(arrival: Arrival): State {
    const { node, handler } = arrival.place;
    const state = this.#stateOf(arrival) ?? this.#nothing();
    const { again } = clearedKeys(node, handler);
    if (again.length === 0) return state;
    const next = [...state];
    for (const key of again) this.#set(next, key, either(this.#get(state, key), missing));
    return next;
  }

  #transfer({ node, handler }: Place, state: State, keys: Effect['keys']): State {
    const rules = ownRulesOf(node, handler);
    const declaresAll = isClosed(node, handler);
    if (rules === undefined && declaresAll) return state;
    const next = [...state];
    if (!declaresAll) {
      for (const [index, key] of this.#keys.entries()) if (!this.#declared.has(key)) next[index] = anything;
    }
    if (rules === undefined) return next;
    this.#declare(next, rules, keys === 'all_set' && !handler.inheritsOutcome);
    if (keys !== 'perhaps_set') this.#assign(next, rules);
    return next;
  }

  #declare(state: Shape[], { writes }: OwnRules, mustBeSet: boolean): void {
    for (const { key, type, isOptional } of writes) {
      const declared = shapeOfType(type);
      const isSet = mustBeSet && !isOptional;
      const typed = isSet && !isUnknown(declared) ? withoutMissing(declared) : declared;
      this.#set(state, key, isSet ? typed : either(either(this.#get(state, key), missing), declared));
    }
  }

  /** All assignments of a stage see what was before them. */
  #assign(state: Shape[], { assignments, writes }: OwnRules): void {
    const seen = [...state];
    const types = new Map(writes.map(({ key, type }) => [key, type]));
    for (const { key, value } of assignments) {
      const assigned = this.#shapeOfTemplate(value, seen);
      this.#set(state, key, isUnknown(assigned) ? shapeOfType(types.get(key)) : assigned);
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
  #read(path: string, state: State): Shape {
    const key = contextKey(path);
    const segments = key.split('.');
    if (this.#items.has(segments[0] ?? key)) return anything;
    let found: Shape = new Map();
    for (let length = segments.length; length > 0; length -= 1) {
      const number = this.#numberOf.get(segments.slice(0, length).join('.'));
      if (number === undefined) continue;
      const value = shapeBelow(state[number] ?? missing, segments.slice(length));
      found = either(withoutMissing(found), value);
      if (!mayBeMissing(value)) return found;
    }
    // A key that nobody declares may be set by anybody.
    return found.size === 0 ? anything : found;
  }

  #get(state: State, key: string): Shape {
    return state[this.#numberOf.get(key) ?? -1] ?? missing;
  }

  #set(state: Shape[], key: string, shape: Shape): void {
    const number = this.#numberOf.get(key);
    if (number !== undefined) state[number] = shape;
  }
}

/** State with which control leaves a place. */
interface Departure {
  readonly state: State;
  readonly hasFailed: boolean;
}

/** Values of either state; the first one itself if the other adds nothing. */
function mergedStates(one: State, other: State): State {
  if (one === other) return one;
  const merged = one.map((shape, index) => {
    const both = either(shape, other[index] ?? missing);
    return both.size === shape.size && [...both.keys()].every((key) => shape.has(key)) ? shape : both;
  });
  return merged.every((shape, index) => shape === one[index]) ? one : merged;
}
