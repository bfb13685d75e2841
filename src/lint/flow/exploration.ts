import type { Departure } from './departure.js';
import type { FlowState } from './flow-state.js';
import type { FlowSteps } from './flow-steps.js';
import { type Walk, walkOn } from './witness.js';

/** State that was reached, with the first way to it. */
export interface Visit {
  readonly state: FlowState;
  readonly key: string;
  /** How the state was first reached; undefined for the start. */
  readonly before: Walk | undefined;
  readonly steps: number;
  /** States that can follow, but for those that a limit of the run bounds. */
  readonly next: { readonly visit: Visit; readonly by: Departure }[];
  departures: readonly Departure[];
  isEntered: boolean;
}

/** Departure that a run must make before others that a question asks about. */
export interface Milestone {
  readonly nodeId: string;
  readonly isWanted: (departure: Departure) => boolean;
}

export interface ExplorationOptions {
  /** States with the same key count as one: the first of them is followed. */
  readonly keyOf: (state: FlowState) => string;
  /** Departures after which the exploration is given up. */
  readonly mostDepartures: number;
  /** Node that is not entered. */
  readonly avoided?: string | undefined;
  /** Milestones that states count; by default none. */
  readonly milestones?: readonly Milestone[] | undefined;
  /** Estimate of the visits that are still to come; by default none, so that the nearest states come first. */
  readonly remaining?: ((state: FlowState) => number) | undefined;
}

/** Walk over the states of a program, by the fewest visits first (A*), up to where the latest question needs it. */
export class Exploration {
  readonly #steps: FlowSteps;
  readonly #options: ExplorationOptions;
  readonly #visits = new Map<string, Visit>();
  readonly #byNode = new Map<string, Visit[]>();
  readonly #open = new OpenVisits();
  readonly #expanded: Visit[] = [];
  #departures = 0;
  #isWhole = true;

  constructor(steps: FlowSteps, options: ExplorationOptions) {
    this.#steps = steps;
    this.#options = options;
    for (const first of steps.firsts()) this.#reach(first);
  }

  /** False if states were left out: then what was not found may be there all the same. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Says that something was left out. */
  leaveOut(): void {
    this.#isWhole = false;
  }

  at(nodeId: string): readonly Visit[] {
    return this.#byNode.get(nodeId) ?? [];
  }

  /**
   * First visit that is wanted.
   * @param nodeId the only node at which it may be; undefined for all
   */
  find<Found>(nodeId: string | undefined, match: (visit: Visit) => Found | undefined): Found | undefined {
    const known = nodeId === undefined ? [...this.#expanded] : this.at(nodeId);
    for (const visit of known) {
      const found = match(visit);
      if (found !== undefined) return found;
    }
    for (let visit = this.#expand(); visit !== undefined; visit = this.#expand()) {
      if (nodeId !== undefined && visit.state.nodeId !== nodeId) continue;
      const found = match(visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  finish(): void {
    while (this.#expand() !== undefined);
  }

  /** Looks at the next state; undefined if there is none, or the exploration is given up. */
  #expand(): Visit | undefined {
    const isGivenUp = this.#departures > this.#options.mostDepartures;
    const visit = isGivenUp ? undefined : this.#open.take();
    if (isGivenUp && !this.#open.isEmpty) this.#isWhole = false;
    if (visit === undefined) return undefined;
    this.#expanded.push(visit);
    if (visit.steps > this.#steps.program.limits.maxSteps) {
      this.#isWhole = false;
      return visit;
    }
    const { departures, areAll, isEntered } = this.#steps.from(visit.state);
    visit.departures = departures;
    visit.isEntered = isEntered;
    if (!areAll) this.#isWhole = false;
    this.#departures += departures.length;
    for (const by of departures) {
      if (by.ending === 'unknown') this.#isWhole = false;
      if (by.next === undefined || by.next.nodeId === this.#options.avoided) continue;
      const next = this.#reach(this.#counted(by, by.next), { visit, by });
      if (by.ending === 'moves') visit.next.push({ visit: next, by });
    }
    return visit;
  }

  /** State with the milestones that a departure passes; none after a restart. */
  #counted(by: Departure, next: FlowState): FlowState {
    const milestone = this.#options.milestones?.[next.passed];
    const isPassed = milestone?.nodeId === by.node.id && milestone.isWanted(by);
    return isPassed ? { ...next, passed: next.passed + 1 } : next;
  }

  #reach(state: FlowState, from?: { readonly visit: Visit; readonly by: Departure }): Visit {
    const key = this.#options.keyOf(state);
    const known = this.#visits.get(key);
    if (known !== undefined) return known;
    const steps = from === undefined ? 0 : from.visit.steps + 1;
    const before = from && walkOn(this.#steps.program, from.visit.before, from.by);
    const visit: Visit = { state, key, before, steps, next: [], departures: [], isEntered: false };
    this.#visits.set(key, visit);
    this.#open.add(visit, steps + (this.#options.remaining?.(state) ?? 0));
    const there = this.#byNode.get(state.nodeId);
    if (there === undefined) this.#byNode.set(state.nodeId, [visit]);
    else there.push(visit);
    return visit;
  }
}

/** Visits whose next states are still to be found, the nearest first. */
class OpenVisits {
  readonly #byDistance: Visit[][] = [];
  readonly #taken: number[] = [];
  #nearest = 0;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(visit: Visit, distance: number): void {
    this.#count += 1;
    this.#nearest = Math.min(this.#nearest, distance);
    const same = this.#byDistance[distance];
    if (same === undefined) this.#byDistance[distance] = [visit];
    else same.push(visit);
  }

  take(): Visit | undefined {
    if (this.#count === 0) return undefined;
    for (; ; this.#nearest += 1) {
      const index = this.#taken[this.#nearest] ?? 0;
      const visit = this.#byDistance[this.#nearest]?.[index];
      if (visit === undefined) continue;
      this.#taken[this.#nearest] = index + 1;
      this.#count -= 1;
      return visit;
    }
  }
}
