import type { Step } from './control-flow.js';

/** Paths from one place to an end, and the places that all of them have in common. */
export interface WaysAround {
  /** True if a path leads from the entry to the place. */
  reaches(index: number): boolean;
  /** Path from the entry to an end that avoids the place; undefined if there is none. */
  around(index: number): WayAround | undefined;
}

export interface WayAround {
  readonly places: readonly number[];
  /** Position in `places` of the last one from which there is also a path to the avoided place. */
  readonly parting: number;
}

/**
 * Finds the places on every path from a place to an end, with a witness for each avoidable one: one
 * shortest path, and the detours from it. A place on the path is avoidable if a detour from before it
 * returns after it, and every other place is avoided by the path itself; so all places together cost one
 * walk through the graph.
 */
export function waysAround(
  entry: number,
  stepsFrom: (index: number) => readonly Step[],
  endsAt: (index: number) => boolean,
): WaysAround {
  const way = shortestWay(entry, stepsFrom, endsAt);
  const positions = new Map(way.map((index, position) => [index, position]));
  const detours = new Detours(way, positions, stepsFrom, endsAt);
  return {
    reaches: (index) => positions.has(index) || detours.origins.has(index),
    around(index) {
      if (way.length === 0) return undefined;
      const position = positions.get(index);
      if (position !== undefined) return detours.past(position);
      const origin = detours.origins.get(index);
      return origin === undefined ? undefined : { places: way, parting: origin };
    },
  };
}

/** Shortest path to an end; empty if none can be reached. */
function shortestWay(
  entry: number,
  stepsFrom: (index: number) => readonly Step[],
  endsAt: (index: number) => boolean,
): readonly number[] {
  const cameFrom = new Map<number, number | undefined>([[entry, undefined]]);
  for (const index of cameFrom.keys()) {
    if (endsAt(index)) {
      const way: number[] = [];
      for (let at: number | undefined = index; at !== undefined; at = cameFrom.get(at)) way.push(at);
      return way.reverse();
    }
    for (const { to } of stepsFrom(index)) if (!cameFrom.has(to)) cameFrom.set(to, index);
  }
  return [];
}

interface Detour {
  /** Positions on the path. */
  readonly from: number;
  readonly to: number;
  /** Last place off the path; undefined for a detour of a single step. */
  readonly last: number | undefined;
}

class Detours {
  /** For every place off the path, the first position on it from which it is reached. */
  readonly origins = new Map<number, number>();
  readonly #way: readonly number[];
  readonly #cameFrom = new Map<number, number | undefined>();
  /** Detours by the position that they avoid. */
  readonly #past: (Detour | undefined)[] = [];

  constructor(
    way: readonly number[],
    positions: ReadonlyMap<number, number>,
    stepsFrom: (index: number) => readonly Step[],
    endsAt: (index: number) => boolean,
  ) {
    this.#way = way;
    let farthest: Detour | undefined;
    for (const [from, start] of way.entries()) {
      this.#past.push(farthest !== undefined && farthest.to > from ? farthest : undefined);
      const open: (number | undefined)[] = [undefined];
      const arrive = (to: number, last: number | undefined) => {
        if (to > (farthest?.to ?? 0)) farthest = { from, to, last };
      };
      for (const last of open) {
        const at = last ?? start;
        if (endsAt(at)) arrive(way.length, last);
        for (const { to } of stepsFrom(at)) {
          const position = positions.get(to);
          if (position !== undefined) arrive(position, last);
          else if (!this.origins.has(to)) {
            this.origins.set(to, from);
            this.#cameFrom.set(to, last);
            open.push(to);
          }
        }
      }
    }
  }

  past(position: number): WayAround | undefined {
    const detour = this.#past[position];
    if (detour === undefined) return undefined;
    const off: number[] = [];
    for (let at = detour.last; at !== undefined; at = this.#cameFrom.get(at)) off.push(at);
    const places = [...this.#way.slice(0, detour.from + 1), ...off.reverse(), ...this.#way.slice(detour.to)];
    return { places, parting: detour.from };
  }
}
