import type { Program } from '../graph/program.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { type FreeChoice, freedProgram } from '../lint/flow/free-choices.js';
import { liveKeys, predecessorsIn } from '../lint/flow/live-keys.js';
import { decide } from '../machine/decide.js';
import { type Cursor, initialState, mainCursor, type RunState } from '../machine/state.js';
import { CursorSteps } from './cursor-steps.js';
import { listBeginnings } from './list-beginnings.js';
import { isWithin, type Projection, Projector } from './projection.js';
import { mayGoFirst } from './reduction.js';
import { repeatCycle } from './repeat-cycle.js';
import { mayRefuseJumps } from './repeated-jumps.js';
import { beginning, inNoTime, isBroken, type SearchStep, type Successor, type Visit } from './search-step.js';

/** Answer of the search about the one property of a program. */
export type Exploration =
  | { readonly kind: 'holds'; readonly states: number }
  | { readonly kind: 'broken'; readonly run: BreakingRun; readonly states: number }
  | { readonly kind: 'undecided'; readonly reasons: readonly string[]; readonly states: number };

/** A run that breaks the property, if what the search does not know is as it says. */
export interface BreakingRun {
  readonly steps: readonly SearchStep[];
  /** Inputs with which it begins. */
  readonly inputs: Inputs;
  /** Program of the search, which can play them. */
  readonly program: Program;
  /** Unknown facts on which its way depends. */
  readonly assumed: readonly string[];
}

export interface ExplorerOptions {
  /** States after which the search is given up. */
  readonly mostStates?: number;
  /** False to explore every order of the steps of branches. */
  readonly reduces?: boolean;
}

/** Seconds for an ordinary pipeline, a minute or two for one with many values. */
const usualMostStates = 20_000;

/** Most visits of the same key with other amounts used of the limits. */
const mostAlike = 1_000;

/** Visits of the same key before cycles are repeated: until then, the shortest run is found. */
const alikeBeforeCycles = 8;

/** Most cycles that are repeated in vain. */
const mostCyclesInVain = 20;

/**
 * Search over all runs of a program by the machine itself, the shortest first: every outcome of each stage, every order in which
 * the stages of branches can end. The monitors of the program say when a run breaks a property (SEMANTICS 144).
 */
export class Explorer {
  readonly #program: Program;
  readonly #choices: ReadonlyMap<string, readonly FreeChoice[]>;
  readonly #steps: CursorSteps;
  readonly #projector: Projector;
  readonly #mostStates: number;
  readonly #reduces: boolean;
  readonly #known = new Map<string, Projection['used'][]>();
  readonly #open: Visit[] = [];
  readonly #found: Visit[] = [];
  #cyclesInVain = 0;
  readonly #reasons = new Set<string>();
  #next = 0;

  constructor(given: Program, { mostStates = usualMostStates, reduces = true }: ExplorerOptions = {}) {
    const freed = freedProgram(given);
    const { program, keys, choices } = freed;
    this.#program = program;
    this.#choices = choices;
    this.#mostStates = mostStates;
    this.#reduces = reduces;
    const options = {
      keys,
      choices,
      live: liveKeys(program, predecessorsIn(program), keys, undefined),
      repeats: mayRefuseJumps(program),
    };
    this.#steps = new CursorSteps(freed, options, (reason) => this.#reasons.add(reason));
    this.#projector = new Projector(program, options);
    if (!keys.isExact) this.#reasons.add('not all values of the keys that conditions read are known');
    for (const inputs of listBeginnings(program)) this.#begin(inputs);
  }

  /** Searches for the next run that breaks the property; called again, for another one. */
  run(): Exploration {
    for (;;) {
      const found = this.#found.shift();
      if (found !== undefined) return { kind: 'broken', run: this.#breakingRun(found), states: this.#next };
      const visit = this.#open[this.#next];
      if (visit === undefined) break;
      if (this.#next >= this.#mostStates) {
        this.#reasons.add(`there are more than ${this.#mostStates} states (\`--max-states\`)`);
        break;
      }
      this.#next += 1;
      this.#expand(visit);
    }
    const states = this.#next;
    if (this.#reasons.size === 0) return { kind: 'holds', states };
    return { kind: 'undecided', reasons: [...this.#reasons], states };
  }

  #begin(inputs: Inputs): void {
    const { state } = decide(this.#program, initialState, inNoTime(beginning(inputs)));
    const { key, used } = this.#projector.of(state);
    const first: Visit = { state, before: undefined, step: undefined, key, isAssumed: false };
    // A property that the first stage breaks.
    if (isBroken(state)) this.#found.push(first);
    else this.#add(first, used);
  }

  #breakingRun(end: Visit): BreakingRun {
    const steps = stepsOf(end);
    const assumed = steps.flatMap((step) => this.#assumedBy(step));
    const { inputs } = end.state;
    return { steps, inputs, program: this.#program, assumed: [...new Set(assumed)] };
  }

  /** Unknown facts on which a step depends. */
  #assumedBy({ nodeId, way, about: unknown }: SearchStep): readonly string[] {
    const custom = way?.said.custom_outcome;
    const words = custom === undefined ? [] : [`the custom outcome "${custom}" of "${nodeId}"`];
    const others = unknown === undefined ? words : [...words, unknown];
    return [...others, ...(this.#choices.get(nodeId) ?? []).map(({ about }) => about)];
  }

  #expand(visit: Visit): void {
    const { state } = visit;
    const movable = [...state.cursors.values()].filter((cursor) => this.#steps.isMovable(cursor));
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

  #take(visit: Visit, successors: readonly Successor[]): void {
    for (const { step, state, projection } of successors) {
      const isAssumed = visit.isAssumed || this.#assumedBy(step).length > 0;
      const next: Visit = { state, before: visit, step, key: projection.key, isAssumed };
      if (isBroken(state)) this.#found.push(next);
      // A way that takes nothing for granted is worth more than one that does.
      else if (state.status === 'running')
        this.#add(next, new Map(projection.used).set('assumed', Number(isAssumed)));
    }
  }

  /** Breadth first, a reduced search must not come back to what it knows, or it would leave other branches out for ever. */
  #hasKnown(successors: readonly Successor[]): boolean {
    return successors.some(({ projection: { key, used } }) =>
      this.#known.get(key)?.some((before) => isWithin(before, used)),
    );
  }

  #add(visit: Visit, used: Projection['used']): void {
    const alike = this.#known.get(visit.key);
    if (alike === undefined) this.#known.set(visit.key, [used]);
    else {
      if (alike.some((before) => isWithin(before, used))) return;
      if (alike.length >= mostAlike) {
        this.#reasons.add('the limits of the pipeline can be used up in too many ways');
        return;
      }
      alike.push(used);
      if (alike.length > alikeBeforeCycles) this.#goAround(visit);
    }
    this.#open.push(visit);
  }

  /** Repeats the cycle of a run that has come back with a higher count, until the count breaks the property. */
  #goAround(visit: Visit): void {
    if (this.#cyclesInVain >= mostCyclesInVain) return;
    const found = repeatCycle(this.#program, this.#steps, visit);
    if (found === 'in_vain') this.#cyclesInVain += 1;
    else if (found !== undefined) this.#found.push(found);
  }

  #successors(state: RunState, cursor: Cursor): readonly Successor[] {
    return this.#steps.of(cursor).map((step) => {
      const { state: after, events } = decide(this.#program, state, inNoTime(step.input, step.now));
      return { step, state: after, events, projection: this.#projector.of(after) };
    });
  }
}

function stepsOf(end: Visit): readonly SearchStep[] {
  const steps: SearchStep[] = [];
  for (let visit: Visit | undefined = end; visit !== undefined; visit = visit.before)
    if (visit.step !== undefined) steps.push(visit.step);
  return steps.reverse();
}
