import type { Program, ProgramNode } from '../graph/program.js';
import { flowKeysOf } from '../lint/flow/flow-keys.js';
import { liveKeys, predecessorsIn } from '../lint/flow/live-keys.js';
import { decide } from '../machine/decide.js';
import { type Cursor, initialState, mainCursor, type RunState } from '../machine/state.js';
import { mayRefuseJumps, whyNotFollowed } from './followed.js';
import { isWithin, type Projection, Projector } from './projection.js';
import { mayGoFirst } from './reduction.js';
import { beginning, inNoTime, type SearchStep, type Successor } from './search-step.js';
import { StageWays } from './stage-ways.js';

/** Answer of the search about the one property of a program. */
export type Exploration =
  | { readonly kind: 'holds'; readonly states: number }
  | { readonly kind: 'broken'; readonly steps: readonly SearchStep[]; readonly states: number }
  | { readonly kind: 'undecided'; readonly reasons: readonly string[]; readonly states: number };

export interface ExplorerOptions {
  /** States after which the search is given up. */
  readonly mostStates?: number;
  /** False to explore every order of the steps of branches. */
  readonly reduces?: boolean;
}

interface Visit {
  readonly state: RunState;
  readonly before: Visit | undefined;
  readonly step: SearchStep | undefined;
}

const usualMostStates = 60_000;

/** Most visits of the same key with other amounts used of the limits. */
const mostAlike = 200;

/**
 * Search over all runs of a program by the machine itself, the shortest first: every outcome of each stage, every order in which
 * the stages of branches can end. The monitors of the program say when a run breaks a property (SEMANTICS 144).
 */
export class Explorer {
  readonly #program: Program;
  readonly #ways: StageWays;
  readonly #projector: Projector;
  readonly #mostStates: number;
  readonly #reduces: boolean;
  readonly #notFollowed: ReadonlyMap<string, string>;
  readonly #known = new Map<string, Projection['used'][]>();
  readonly #open: Visit[] = [];
  readonly #reasons = new Set<string>();

  constructor(program: Program, { mostStates = usualMostStates, reduces = true }: ExplorerOptions = {}) {
    this.#program = program;
    this.#mostStates = mostStates;
    this.#reduces = reduces;
    const nodes = [...program.nodes.values()];
    const keys = flowKeysOf(program.graph, nodes);
    const options = {
      keys,
      live: liveKeys(program, predecessorsIn(program), keys, undefined),
      repeats: mayRefuseJumps(program),
    };
    this.#ways = new StageWays(program, options);
    this.#projector = new Projector(program, options);
    const reasons = nodes.map((node) => [node.id, whyNotFollowed(node, keys)] as const);
    this.#notFollowed = new Map(reasons.flatMap(([id, why]) => (why === undefined ? [] : [[id, why]])));
    if (!keys.isExact) this.#reasons.add('not all values of the keys that conditions read are known');
  }

  run(): Exploration {
    const first = decide(this.#program, initialState, inNoTime(beginning));
    this.#add({ state: first.state, before: undefined, step: undefined }, this.#projector.of(first.state));
    // A property that the first stage breaks.
    if (isBroken(first.state)) return { kind: 'broken', steps: [], states: 1 };
    for (let next = 0; next < this.#open.length; next += 1) {
      const visit = this.#open[next];
      if (visit === undefined) break;
      if (next >= this.#mostStates) {
        this.#reasons.add(`there are more than ${this.#mostStates} states`);
        break;
      }
      const found = this.#expand(visit);
      if (found !== undefined) return { kind: 'broken', steps: stepsOf(found), states: next + 1 };
    }
    const states = Math.min(this.#open.length, this.#mostStates);
    if (this.#reasons.size === 0) return { kind: 'holds', states };
    return { kind: 'undecided', reasons: [...this.#reasons], states };
  }

  /** @returns a run that breaks the property */
  #expand(visit: Visit): Visit | undefined {
    const { state } = visit;
    if (state.status !== 'running') return undefined;
    const movable = [...state.cursors.values()].filter(
      ({ phase }) => phase === 'running' || phase === 'waiting',
    );
    const groups = movable.map((cursor) => () => this.#successors(state, cursor));
    const first = this.#fanOut(state, movable);
    if (first !== undefined) return this.#take(visit, this.#successors(state, first));
    const all: (readonly Successor[])[] = [];
    for (const group of groups) {
      const successors = group();
      const mayBeAlone = this.#reduces && movable.length > 1;
      if (mayBeAlone && mayGoFirst(this.#program, state, successors) && !this.#hasKnown(successors))
        return this.#take(visit, successors);
      all.push(successors);
    }
    return this.#take(visit, all.flat());
  }

  /** A parallel node begins its branches before anything else happens, unless the property looks at it. */
  #fanOut(state: RunState, movable: readonly Cursor[]): Cursor | undefined {
    return movable.find(({ id, nodeId, phase }) => {
      const isForking = phase === 'running' && this.#program.nodes.get(nodeId)?.parallel !== undefined;
      const isWatched = this.#program.monitors.some(
        ({ watched }) => watched.starts.has(nodeId) || watched.ends.has(nodeId),
      );
      return isForking && (!isWatched || id === mainCursor || state.cursors.size === 1);
    });
  }

  #take(visit: Visit, successors: readonly Successor[]): Visit | undefined {
    for (const { step, state, projection } of successors) {
      const next = { state, before: visit, step };
      if (isBroken(state)) return next;
      if (state.status === 'running') this.#add(next, projection);
    }
    return undefined;
  }

  /** Breadth first, a reduced search must not come back to what it knows, or it would leave other branches out for ever. */
  #hasKnown(successors: readonly Successor[]): boolean {
    return successors.some(({ projection: { key, used } }) =>
      this.#known.get(key)?.some((before) => isWithin(before, used)),
    );
  }

  #add(visit: Visit, { key, used }: Projection): void {
    const alike = this.#known.get(key);
    if (alike === undefined) this.#known.set(key, [used]);
    else {
      if (alike.some((before) => isWithin(before, used))) return;
      if (alike.length >= mostAlike) {
        this.#reasons.add('the limits of the pipeline can be used up in too many ways');
        return;
      }
      alike.push(used);
    }
    this.#open.push(visit);
  }

  #successors(state: RunState, cursor: Cursor): readonly Successor[] {
    const node = this.#program.nodes.get(cursor.nodeId);
    if (node === undefined) return [];
    const why = this.#notFollowed.get(node.id);
    if (why !== undefined) {
      this.#reasons.add(why);
      return [];
    }
    return this.#stepsFrom(cursor, node).map((step) => {
      const { state: after, events } = decide(this.#program, state, inNoTime(step.input));
      return { step, state: after, events, projection: this.#projector.of(after) };
    });
  }

  #stepsFrom(cursor: Cursor, node: ProgramNode): readonly SearchStep[] {
    const { id, index, attempt, nodeId, execution, phase } = cursor;
    const place = { cursor: id, index, attempt };
    const step = { cursor: id, nodeId, execution };
    if (phase === 'waiting') return [{ ...step, way: undefined, input: { kind: 'timer_fired', ...place } }];
    if (node.parallel !== undefined)
      return [{ ...step, way: undefined, input: { kind: 'fan_out', ...place } }];
    const { ways, areAll } = this.#ways.of(cursor, node);
    if (!areAll) this.#reasons.add(`"${nodeId}" can end in too many ways`);
    return ways.map((way) => ({
      ...step,
      way,
      input: { kind: 'stage_settled', ...place, outcome: way.outcome, simulated: true },
    }));
  }
}

/** True for a run that has ended before it would break a property. */
function isBroken({ failure }: Pick<RunState, 'failure'>): boolean {
  return failure?.kind === 'property';
}

function stepsOf(end: Visit): readonly SearchStep[] {
  const steps: SearchStep[] = [];
  for (let visit: Visit | undefined = end; visit !== undefined; visit = visit.before)
    if (visit.step !== undefined) steps.push(visit.step);
  return steps.reverse();
}
