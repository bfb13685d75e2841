import type { PathStep } from './recorded-path.js';

/** Path in the order of another one, up to the first difference. */
export interface AlignedPath {
  readonly path: readonly PathStep[];
  /** First step, from 0, in which the paths differ; undefined if they are the same. */
  readonly firstDifference: number | undefined;
}

/**
 * Puts the steps of a path into the order of an old one where only time decided about it, which is between branches that
 * run side by side. Visits are counted again in that order. From the first difference on, the order stays as it is.
 */
export function alignPaths(old: readonly PathStep[], path: readonly PathStep[]): AlignedPath {
  const left = new Lines(path);
  const aligned: PathStep[] = [];
  for (const step of old) {
    const next = left.next(step.branch);
    if (next === undefined || !isSameStep(step, next)) break;
    left.take(next);
    aligned.push(next);
  }
  const isSame = aligned.length === old.length && left.isEmpty;
  return {
    path: withVisits([...aligned, ...left.rest]),
    firstDifference: isSame ? undefined : aligned.length,
  };
}

/** Compares steps of the same branch, before which it had the same steps. */
function isSameStep(one: PathStep, other: PathStep): boolean {
  return one.node_id === other.node_id && one.place === other.place && one.status === other.status;
}

/** Steps of a path that are left, by their branches. */
class Lines {
  readonly #path: readonly PathStep[];
  /** Positions in the path, the last one first. */
  readonly #positions = new Map<string, number[]>();

  constructor(path: readonly PathStep[]) {
    this.#path = path;
    for (let position = path.length - 1; position >= 0; position -= 1) {
      const line = path[position]?.branch ?? mainLine;
      const positions = this.#positions.get(line) ?? [];
      positions.push(position);
      this.#positions.set(line, positions);
    }
  }

  get isEmpty(): boolean {
    return this.#positions.size === 0;
  }

  /** All that is left, in the order of the path. */
  get rest(): readonly PathStep[] {
    const positions = [...this.#positions.values()].flat();
    return positions.sort((one, other) => one - other).flatMap((position) => this.#path[position] ?? []);
  }

  /** Next step of a branch; undefined if it has none, or if another step has to come before it. */
  next(branch: string | undefined): PathStep | undefined {
    const line = branch ?? mainLine;
    const position = this.#positions.get(line)?.at(-1);
    if (position === undefined) return undefined;
    for (const [other, positions] of this.#positions)
      if ((positions.at(-1) ?? position) < position && areInOrder(line, other)) return undefined;
    return this.#path[position];
  }

  take({ branch }: PathStep): void {
    const line = branch ?? mainLine;
    const positions = this.#positions.get(line);
    positions?.pop();
    if (positions?.length === 0) this.#positions.delete(line);
  }
}

const mainLine = '';

/** True if the steps of one line wait for those of the other, because one contains the other. */
function areInOrder(one: string, other: string): boolean {
  return [one, other].includes(mainLine) || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function withVisits(path: readonly PathStep[]): readonly PathStep[] {
  const visits = new Map<string, number>();
  return path.map((step) => {
    const key = JSON.stringify([step.place, step.node_id]);
    const visit = (visits.get(key) ?? 0) + 1;
    visits.set(key, visit);
    return { ...step, visit };
  });
}
