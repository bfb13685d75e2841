import type { Witness } from '../../diagnostic/witness.js';
import { cyclicGroups, shortestCycle } from '../../graph/flow/cycles.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { buildProgram, type Program } from '../../graph/program.js';
import { exitNodes, startNodes } from '../../graph/queries.js';
import { routingInDoubt } from '../routing-in-doubt.js';
import { canFollow, flowKeysOf } from './flow-keys.js';
import { type FlowState, keyOf } from './flow-state.js';
import { type Departure, FlowSteps } from './flow-steps.js';
import { type KeyRead, predecessorsIn } from './live-keys.js';
import { type Walk, walkOn, witnessOf } from './witness.js';

/** Answer of the search: a run, a proof that there is none, or neither. */
export type Answer =
  | {
      readonly kind: 'found';
      readonly witness: Witness;
      readonly walk: Walk | undefined;
      readonly end: FlowState;
    }
  | { readonly kind: 'never' }
  /** The search was cut off, or something on the way is not followed. */
  | { readonly kind: 'unknown' };

/** Departures after which the search is given up: some 10 ms. */
const mostDepartures = 4000;

/** Those of a small graph, by the number of its nodes: all of its states are worth more. */
function mostOfSmall(nodeCount: number): number {
  return Math.max(mostDepartures, Math.floor(120_000 / nodeCount));
}

interface Match {
  readonly visit: Visit;
  readonly by: Departure | undefined;
}

interface Visit {
  readonly state: FlowState;
  /** How the state was first reached; undefined for the start. */
  readonly before: Walk | undefined;
  readonly steps: number;
  /** States that can follow, but for those that a limit of the run bounds. */
  readonly next: { readonly visit: Visit; readonly by: Departure }[];
  departures: readonly Departure[];
  isEntered: boolean;
}

/**
 * Search over all runs of a graph, by the fewest visits first. It continuesly to where the latest question needed it,
 * so that a graph about which nothing is asked costs nothing.
 */
export class FlowSearch {
  readonly #program: Program;
  readonly #steps: FlowSteps;
  readonly #visits = new Map<string, Visit>();
  readonly #open: Visit[] = [];
  readonly #byNode = new Map<string, Visit[]>();
  /** Nodes to which anything leads, whatever a run does. */
  readonly #connected: ReadonlySet<string>;
  readonly #mostDepartures: number;
  #expanded = 0;
  #departures = 0;
  #isComplete = true;

  /** @param wanted a read about which is asked whether its key is set */
  constructor(program: Program, wanted?: KeyRead) {
    this.#program = program;
    // There may be a search for each read.
    this.#mostDepartures = wanted === undefined ? mostOfSmall(program.nodes.size) : mostDepartures;
    const keys = flowKeysOf(program.graph, [...program.nodes.values()], wanted?.key);
    this.#steps = new FlowSteps(program, keys, wanted);
    this.#connected = connectedFrom(program);
    this.#reach(this.#steps.first());
  }

  /** A run in which control leaves a node like that. */
  leaving(nodeId: string, isWanted: (departure: Departure) => boolean): Answer {
    if (!this.#connected.has(nodeId)) return { kind: 'never' };
    return this.#find(nodeId, (visit) => {
      const by = visit.departures.find(isWanted);
      return by === undefined ? undefined : { visit, by };
    });
  }

  /** A run that enters a node in a state like that. */
  entering(nodeId: string, isWanted: (state: FlowState) => boolean = () => true): Answer {
    if (!this.#connected.has(nodeId)) return { kind: 'never' };
    return this.#find(nodeId, (visit) =>
      visit.isEntered && isWanted(visit.state) ? { visit, by: undefined } : undefined,
    );
  }

  /** A run that ends well in a state like that. */
  completing(isWanted: (state: FlowState) => boolean): Answer {
    return this.#find(undefined, (visit) => {
      if (!isWanted(visit.state)) return undefined;
      const by = visit.departures.find(({ ending }) => ending === 'completed');
      return by === undefined ? undefined : { visit, by };
    });
  }

  /**
   * A run that goes round among some nodes until only `max_steps` ends it.
   * @param through nodes of which one must be on the way, the preferred one first
   */
  goingRound(
    within: ReadonlySet<string>,
    through: readonly string[],
  ):
    | Exclude<Answer, { kind: 'found' }>
    | { readonly kind: 'found'; readonly witness: Witness; readonly nodeIds: readonly string[] } {
    while (this.#expand() !== undefined);
    const members = [...within].flatMap((id) => this.#byNode.get(id) ?? []);
    const byKey = new Map(members.map((visit) => [keyOf(visit.state), visit]));
    const next = (key: string): readonly string[] =>
      (byKey.get(key)?.next ?? []).flatMap(({ visit }) => {
        const to = keyOf(visit.state);
        return byKey.has(to) ? [to] : [];
      });
    const groups = cyclicGroups(byKey.keys(), next);
    for (const nodeId of through) {
      const isThere = (key: string): boolean => byKey.get(key)?.state.nodeId === nodeId;
      const group = groups.find((keys) => keys.some(isThere)) ?? [];
      const start = group.find(isThere);
      if (start === undefined) continue;
      const round = shortestCycle(start, new Set(group), next).flatMap((key) => byKey.get(key) ?? []);
      const witness = this.#roundOf(round);
      if (witness === undefined) {
        this.#isComplete = false;
        continue;
      }
      return { kind: 'found', witness, nodeIds: round.map(({ state }) => state.nodeId) };
    }
    return { kind: this.#isComplete ? 'never' : 'unknown' };
  }

  #roundOf(round: readonly Visit[]): Witness | undefined {
    const [first] = round;
    if (first === undefined) return undefined;
    const lap = round.slice(1).flatMap((visit, index) => {
      const step = round[index]?.next.find((one) => one.visit === visit);
      return step === undefined ? [] : [step.by];
    });
    return witnessOf(this.#program, first.before, lap);
  }

  /** @param nodeId the only node at which it may be; undefined for all */
  #find(nodeId: string | undefined, match: (visit: Visit) => Match | undefined): Answer {
    const known = nodeId === undefined ? this.#visits.values() : (this.#byNode.get(nodeId) ?? []);
    for (const visit of known) {
      const found = this.#answer(match(visit));
      if (found !== undefined) return found;
    }
    for (let visit = this.#expand(); visit !== undefined; visit = this.#expand()) {
      if (nodeId !== undefined && visit.state.nodeId !== nodeId) continue;
      const found = this.#answer(match(visit));
      if (found !== undefined) return found;
    }
    return { kind: this.#isComplete ? 'never' : 'unknown' };
  }

  #answer(found: Match | undefined): Answer | undefined {
    if (found === undefined) return undefined;
    const { visit, by } = found;
    const walk = by === undefined ? visit.before : walkOn(this.#program, visit.before, by);
    const witness = witnessOf(this.#program, walk);
    // Another run may come there within the limits.
    if (witness === undefined) this.#isComplete = false;
    return witness && { kind: 'found', witness, walk, end: visit.state };
  }

  /** Looks at the next state; undefined if there is none, or the search is given up. */
  #expand(): Visit | undefined {
    const visit = this.#open[this.#expanded];
    if (visit === undefined) return undefined;
    if (this.#departures > this.#mostDepartures || visit.steps > this.#program.limits.maxSteps) {
      this.#isComplete = false;
      return undefined;
    }
    this.#expanded += 1;
    const { departures, areAll, isEntered } = this.#steps.from(visit.state);
    visit.departures = departures;
    visit.isEntered = isEntered;
    if (!areAll) this.#isComplete = false;
    this.#departures += departures.length;
    for (const by of departures) {
      if (by.next === undefined) continue;
      const next = this.#reach(by.next, { visit, by });
      if (by.ending === 'moves') visit.next.push({ visit: next, by });
    }
    return visit;
  }

  #reach(state: FlowState, from?: { readonly visit: Visit; readonly by: Departure }): Visit {
    const key = keyOf(state);
    const known = this.#visits.get(key);
    if (known !== undefined) return known;
    const steps = from === undefined ? 0 : from.visit.steps + 1;
    const before = from && walkOn(this.#program, from.visit.before, from.by);
    const visit: Visit = { state, before, steps, next: [], departures: [], isEntered: false };
    this.#visits.set(key, visit);
    this.#open.push(visit);
    const there = this.#byNode.get(state.nodeId);
    if (there === undefined) this.#byNode.set(state.nodeId, [visit]);
    else there.push(visit);
    return visit;
  }
}

function connectedFrom(program: Program): ReadonlySet<string> {
  const after = new Map<string, string[]>();
  for (const [to, sources] of predecessorsIn(program))
    for (const from of sources) after.set(from, [...(after.get(from) ?? []), to]);
  const found = new Set([program.startId]);
  for (const id of found) for (const to of after.get(id) ?? []) found.add(to);
  return found;
}

const programOf = perGraph((graph: Graph, handlerTypes: KnownHandlerTypes): Program | undefined => {
  if (startNodes(graph).length !== 1 || exitNodes(graph).length !== 1) return undefined;
  const isWhole = graph.edges.every(({ from, to }) => graph.nodes.has(from) && graph.nodes.has(to));
  return isWhole && routingInDoubt(graph).size === 0 ? buildProgram(graph, handlerTypes) : undefined;
});

/** Search over the runs of a graph; undefined for one that could not be run, or is likely misspelt. */
export const flowSearch = perGraph(
  (graph: Graph, handlerTypes: KnownHandlerTypes): FlowSearch | undefined => {
    const program = programOf(graph, handlerTypes);
    return program && new FlowSearch(program);
  },
);

/** A run in which a key is not set where a stage reads it. */
export function readingNothing(graph: Graph, handlerTypes: KnownHandlerTypes, read: KeyRead): Answer {
  const program = programOf(graph, handlerTypes);
  if (program === undefined || !canFollow(graph, read.key)) return { kind: 'unknown' };
  return new FlowSearch(program, read).entering(read.nodeId, ({ values }) => !values.has(read.key));
}
