import type { Witness } from '../../diagnostic/witness.js';
import type { Graph } from '../../graph/graph.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import { perGraph } from '../../graph/per-graph.js';
import { buildProgram, type Program } from '../../graph/program.js';
import { exitNodes, startNodes } from '../../graph/queries.js';
import { routingInDoubt } from '../routing-in-doubt.js';
import type { Departure } from './departure.js';
import { Exploration, type ExplorationOptions, type Milestone, type Visit } from './exploration.js';
import { failuresThatEnd } from './failures-that-end.js';
import { mayBeCutOff } from './flow-forks.js';
import { canFollow, flowKeysOf, type KeyOptions } from './flow-keys.js';
import { coarseKeyOf, exactKeyOf, type FlowState, isAlone } from './flow-state.js';
import { FlowSteps } from './flow-steps.js';
import { followsNode } from './follows-node.js';
import { freedProgram } from './free-choices.js';
import { distancesTo, type KeyRead, liveKeys, predecessorsIn, successorsIn } from './live-keys.js';
import { type FoundRound, roundAmong } from './rounds.js';
import { type Walk, walkOn, witnessOf } from './witness.js';

/** Answer of the search: a run, a proof that there is none, or neither. */
export type Answer = Found | Unfound;

export interface Found {
  readonly kind: 'found';
  readonly walk: Walk | undefined;
  readonly witness: Witness;
}

/** `unknown` if the search was cut off, or something on the way is not followed. */
export interface Unfound {
  readonly kind: 'never' | 'unknown';
}

const unknown: Unfound = { kind: 'unknown' };

interface Match {
  readonly visit: Visit;
  readonly by: Departure | undefined;
}

interface Question {
  /** The only node at which it may be; undefined for all. */
  readonly nodeId: string | undefined;
  readonly match: (visit: Visit) => Match | undefined;
  /** Node that the run does not visit. */
  readonly avoided?: string;
  /** True if the values at a departure may matter. */
  readonly isOfDeparture?: boolean;
  readonly milestones?: readonly Milestone[];
}

/**
 * Search over all runs of a graph, in three explorations, each of which begins when the one before has no answer:
 * - quick: states that differ only in what limits and goal gates count are one, so that they are few. A way that it finds is
 *   one that a run takes.
 * - loose: steps that no limit and no goal gate bounds. What they do not reach, no run reaches.
 * - exact: every state apart.
 * Each continues only to where the latest question needed it, so that a graph about which nothing is asked costs nothing.
 */
export class FlowSearch {
  readonly #program: Program;
  readonly #wanted: KeyRead | undefined;
  readonly #steps: FlowSteps;
  #looseSteps: FlowSteps | undefined;
  /** Nodes to which anything leads, whatever a run does. */
  readonly #connected: ReadonlySet<string>;
  readonly #before: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #explorations = new Map<string, Exploration>();

  /** @param wanted a read about which is asked whether its key is set */
  constructor(program: Program, wanted?: KeyRead) {
    this.#program = program;
    this.#wanted = wanted;
    const keys = flowKeysOf(program.graph, [...program.nodes.values()], this.#keyOptions);
    this.#before = predecessorsIn(program);
    this.#steps = new FlowSteps({ program, keys, live: liveKeys(program, this.#before, keys, wanted) });
    this.#connected = connectedFrom(program.startId, this.#before);
  }

  get #keyOptions(): KeyOptions {
    return { extra: this.#wanted?.key, ofEngine: true };
  }

  get #loose(): FlowSteps {
    this.#looseSteps ??= this.#freedSteps();
    return this.#looseSteps;
  }

  /** Steps that take what is not followed in every way. */
  #freedSteps(): FlowSteps {
    const { program, keys, live } = this.#steps;
    const nodes = [...program.nodes.values()];
    if (keys.isExact && nodes.every((node) => followsNode(node, keys)))
      return new FlowSteps({ program, keys, live, isLoose: true });
    const freed = freedProgram(program, this.#keyOptions);
    return new FlowSteps({
      ...freed,
      live: liveKeys(freed.program, this.#before, freed.keys, this.#wanted),
      isLoose: true,
    });
  }

  /** False for a node of which the loose steps say where runs may go from there, but not with which values. */
  #isFollowed(nodeId: string): boolean {
    const node = this.#program.nodes.get(nodeId);
    return node !== undefined && followsNode(node, this.#steps.keys);
  }

  /** A route that is likely misspelt proves nothing of what its author means. */
  get #never(): Unfound {
    return routingInDoubt(this.#program.graph).size === 0 ? { kind: 'never' } : unknown;
  }

  /** A run in which control leaves a node like that. */
  leaving(nodeId: string, isWanted: (departure: Departure) => boolean): Answer {
    if (!this.#connected.has(nodeId)) return this.#never;
    const match = (visit: Visit): Match | undefined => matching(visit, isWanted);
    const answer = this.#answer({ nodeId, match, isOfDeparture: true });
    return answer.kind === 'never' && this.#mayEndAnyway(nodeId, isWanted) ? unknown : answer;
  }

  /** True if a failure that has a route may end the run all the same, and is wanted then. */
  #mayEndAnyway(nodeId: string, isWanted: (departure: Departure) => boolean): boolean {
    if (!failuresThatEnd(this.#program).has(nodeId)) return false;
    const visits = [...this.#explorations.values()].flatMap((exploration) => exploration.at(nodeId));
    const departures = visits.flatMap((visit) => visit.departures);
    return departures.some((one) => one.routed.status === 'fail' && isWanted({ ...one, ...endedByFailure }));
  }

  /** A run that enters a node in a state like that. */
  entering(nodeId: string, isWanted: (state: FlowState) => boolean = () => true): Answer {
    if (!this.#connected.has(nodeId)) return this.#never;
    return this.#answer({
      nodeId,
      match: (visit) => (visit.isEntered && isWanted(visit.state) ? { visit, by: undefined } : undefined),
    });
  }

  /** A run that passes milestones, in this order and without a restart between them, and then enters a node in a state like that. */
  passing(milestones: readonly Milestone[], nodeId: string, isWanted: (state: FlowState) => boolean): Answer {
    if ([...milestones, { nodeId }].some((one) => !this.#connected.has(one.nodeId))) return this.#never;
    const match = (visit: Visit): Match | undefined => {
      const { state, isEntered } = visit;
      return isEntered && state.passed === milestones.length && isWanted(state)
        ? { visit, by: undefined }
        : undefined;
    };
    const found = this.#shown(this.#directed({ nodeId, match, milestones }), { nodeId, match });
    if (typeof found === 'object') return found;
    const loose = this.#explore('loose', { milestones });
    return loose.find(nodeId, match) === undefined && loose.isWhole ? this.#never : unknown;
  }

  /** A run that ends well without a visit of a node. */
  completingWithout(nodeId: string): Answer {
    const ends = ({ ending }: Departure): boolean => ending === 'completed';
    return this.#answer({ nodeId: undefined, match: (visit) => matching(visit, ends), avoided: nodeId });
  }

  /**
   * A run that goes round among some nodes until only `max_steps` ends it.
   * @param through nodes of which one must be on the way, the preferred one first
   */
  goingRound(
    within: ReadonlySet<string>,
    through: readonly string[],
  ): Unfound | ({ readonly kind: 'found' } & FoundRound) {
    for (const name of ['quick', 'loose', 'exact'] as const) {
      const steps = name === 'loose' ? this.#loose : this.#steps;
      const found = roundAmong(this.#program, steps, this.#exploration(name), within, through);
      const isProof = name !== 'quick' || this.#steps.isMemoryless;
      if (found === 'none' && isProof) return this.#never;
      if (typeof found === 'object' && name !== 'loose') return { kind: 'found', ...found };
    }
    return unknown;
  }

  #answer(question: Question): Answer {
    const { nodeId, match, avoided } = question;
    const { isMemoryless } = this.#steps;
    if (avoided === undefined) {
      const quick = this.#exploration('quick');
      const found = this.#shown(quick, question);
      if (typeof found === 'object') return found;
      if (isMemoryless && quick.isWhole && found === 'not') return this.#never;
    }
    if (avoided !== undefined || !this.#exploration('quick').isWhole) {
      const found = this.#shown(this.#directed(question), question);
      if (typeof found === 'object') return found;
    }
    const loose = this.#exploration('loose', avoided);
    if (loose.find(nodeId, match) === undefined && loose.isWhole) {
      const isSeen = question.isOfDeparture !== true || nodeId === undefined || this.#isFollowed(nodeId);
      if (isSeen || loose.at(nodeId).length === 0) return this.#never;
    }
    if (isMemoryless && avoided === undefined) return unknown;
    const exact = this.#exploration('exact', avoided);
    const found = this.#shown(exact, question);
    if (typeof found === 'object') return found;
    return exact.isWhole && found === 'not' ? this.#never : unknown;
  }

  /** Exploration that goes straight to where the question leads. */
  #directed({ nodeId = this.#program.exitId, avoided, milestones = [] }: Question): Exploration {
    const [first] = milestones;
    const distances = distancesTo(this.#before, nodeId, avoided);
    const toFirst = first === undefined ? distances : distancesTo(this.#before, first.nodeId, avoided);
    return new Exploration(this.#steps, {
      keyOf: this.#nearKeyOf,
      mostDepartures: mostDirected,
      avoided,
      milestones,
      remaining: ({ nodeId: id, gates, passed }) => {
        let count = (passed === 0 ? toFirst : distances).get(id) ?? tooFar;
        if (passed < milestones.length) count += tooFar;
        // A goal gate that does not hold sends the run back.
        for (const said of gates.values()) if (said === 'unsatisfied') count += costOfGate;
        return 2 * count;
      },
    });
  }

  /**
   * A run that an exploration finds, and that stays within the limits of the pipeline; `perhaps` if it has found one that no script
   * can play, in a branch whose end is not followed.
   */
  #shown(exploration: Exploration, { nodeId, match }: Question): Answer | 'not' | 'perhaps' {
    let isOpen = false;
    const shown = exploration.find(nodeId, (visit): Answer | undefined => {
      const found = match(visit);
      if (found === undefined) return undefined;
      const { by } = found;
      const { branch } = visit.state;
      if (isAlone(branch) || mayBeCutOff(this.#program, branch)) {
        isOpen = true;
        return undefined;
      }
      const walk = by === undefined ? visit.before : walkOn(this.#program, visit.before, by);
      const witness = witnessOf(this.#program, walk);
      if (witness !== undefined) return { kind: 'found', walk, witness };
      // Another run may come there within the limits.
      exploration.leaveOut();
      return undefined;
    });
    return shown ?? (isOpen ? 'perhaps' : 'not');
  }

  readonly #nearKeyOf = (state: FlowState): string => {
    const near = this.#steps.live.near(state.nodeId);
    return coarseKeyOf(state, (key) => near.has(key));
  };

  #exploration(name: 'quick' | 'loose' | 'exact', avoided?: string): Exploration {
    const id = `${name} ${avoided ?? ''}`;
    const known = this.#explorations.get(id);
    if (known !== undefined) return known;
    const found = this.#explore(name, { avoided });
    this.#explorations.set(id, found);
    return found;
  }

  #explore(
    name: 'quick' | 'loose' | 'exact',
    options: Pick<ExplorationOptions, 'avoided' | 'milestones'>,
  ): Exploration {
    return new Exploration(name === 'loose' ? this.#loose : this.#steps, {
      keyOf: name === 'exact' ? exactKeyOf : this.#nearKeyOf,
      mostDepartures: mostDepartures(name, this.#program.nodes.size),
      ...options,
    });
  }
}

const endedByFailure = {
  route: { kind: 'fail', failure: 'stage' },
  next: undefined,
  ending: 'failed',
} as const;

const mostDirected = 3000;
const tooFar = 1000;
const costOfGate = 3;

/** Departures after which an exploration is given up: some 5 ms for every 2 000, and more for a small graph. */
function mostDepartures(name: 'quick' | 'loose' | 'exact', nodeCount: number): number {
  if (name !== 'exact') return 6000 + 8 * nodeCount;
  return Math.max(2000, Math.floor(120_000 / nodeCount));
}

function matching(visit: Visit, isWanted: (departure: Departure) => boolean): Match | undefined {
  const by = visit.departures.find(isWanted);
  return by === undefined ? undefined : { visit, by };
}

function connectedFrom(
  startId: string,
  before: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const after = successorsIn(before);
  const found = new Set([startId]);
  for (const id of found) for (const to of after.get(id) ?? []) found.add(to);
  return found;
}

const programOf = perGraph((graph: Graph, handlerTypes: KnownHandlerTypes): Program | undefined => {
  if (startNodes(graph).length !== 1 || exitNodes(graph).length !== 1) return undefined;
  const isWhole = graph.edges.every(({ from, to }) => graph.nodes.has(from) && graph.nodes.has(to));
  return isWhole ? buildProgram(graph, handlerTypes) : undefined;
});

/** Search over the runs of a graph; undefined for one that could not be run. */
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
