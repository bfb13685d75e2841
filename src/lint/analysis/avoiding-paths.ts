import type { Step } from './control-flow.js';

/** Paths from one point to an end, and the points that all of them have in common. */
export interface AvoidingPaths {
  /** True if a path leads from the entry to the point. */
  reaches(index: number): boolean;
  /** Path from the entry to an end that avoids the point; undefined if there is none. */
  around(index: number): AvoidingPath | undefined;
}

export interface AvoidingPath {
  readonly points: readonly number[];
  /** Position in `points` of the last one from which there is also a path to the avoided point. */
  readonly parting: number;
}

/**
 * Finds the points on every path from a point to an end, with a witness for each avoidable one: one
 * shortest path, and the detours from it. A point on the path is avoidable if a detour from before it
 * returns after it, and every other point is avoided by the path itself; so all points together cost one
 * walk through the graph.
 */
export function avoidingPaths(
  entry: number,
  stepsFrom: (index: number) => readonly Step[],
  endsAt: (index: number) => boolean,
): AvoidingPaths {
  const path = shortestPath(entry, stepsFrom, endsAt);
  const positions = new Map(path.map((index, position) => [index, position]));
  const detours = new Detours(path, positions, stepsFrom, endsAt);
  return {
    reaches: (index) => positions.has(index) || detours.origins.has(index),
    around(index) {
      if (path.length === 0) return undefined;
      const position = positions.get(index);
      if (position !== undefined) return detours.past(position);
      const origin = detours.origins.get(index);
      return origin === undefined ? undefined : { points: path, parting: origin };
    },
  };
}

/** Shortest path to an end; empty if none can be reached. */
function shortestPath(
  entry: number,
  stepsFrom: (index: number) => readonly Step[],
  endsAt: (index: number) => boolean,
): readonly number[] {
  const cameFrom = new Map<number, number | undefined>([[entry, undefined]]);
  for (const index of cameFrom.keys()) {
    if (endsAt(index)) {
      const path: number[] = [];
      for (let point: number | undefined = index; point !== undefined; point = cameFrom.get(point))
        path.push(point);
      return path.reverse();
    }
    for (const { to } of stepsFrom(index)) if (!cameFrom.has(to)) cameFrom.set(to, index);
  }
  return [];
}

interface Detour {
  /** Positions on the path. */
  readonly from: number;
  readonly to: number;
  /** Last point off the path; undefined for a detour of a single step. */
  readonly last: number | undefined;
}

class Detours {
  /** For every point off the path, the first position on it from which it is reached. */
  readonly origins = new Map<number, number>();
  readonly #path: readonly number[];
  readonly #cameFrom = new Map<number, number | undefined>();
  /** Detours by the position that they avoid. */
  readonly #past: (Detour | undefined)[] = [];

  constructor(
    path: readonly number[],
    positions: ReadonlyMap<number, number>,
    stepsFrom: (index: number) => readonly Step[],
    endsAt: (index: number) => boolean,
  ) {
    this.#path = path;
    let farthest: Detour | undefined;
    for (const [from, start] of path.entries()) {
      this.#past.push(farthest !== undefined && farthest.to > from ? farthest : undefined);
      const open: (number | undefined)[] = [undefined];
      const arrive = (to: number, last: number | undefined) => {
        if (to > (farthest?.to ?? 0)) farthest = { from, to, last };
      };
      for (const last of open) {
        const point = last ?? start;
        if (endsAt(point)) arrive(path.length, last);
        for (const { to } of stepsFrom(point)) {
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

  past(position: number): AvoidingPath | undefined {
    const detour = this.#past[position];
    if (detour === undefined) return undefined;
    const off: number[] = [];
    for (let point = detour.last; point !== undefined; point = this.#cameFrom.get(point)) off.push(point);
    const points = [
      ...this.#path.slice(0, detour.from + 1),
      ...off.reverse(),
      ...this.#path.slice(detour.to),
    ];
    return { points: points, parting: detour.from };
  }
}
