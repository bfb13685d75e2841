import type { ControlFlow } from './control-flow.js';

/** Facts about a key when control arrives at a point. */
export interface KeyFlow {
  /** True if on some path to the point the key was set. */
  maybeSet(point: number): boolean;
  /** True if on some path to the point it was not set. */
  maybeUnset(point: number): boolean;
}

/** Points that set a key, and those that remove it. */
export interface KeyUse {
  readonly sets: readonly number[];
  /** Points that may set it: parallel nodes that merge branches of which some set it (SEMANTICS 107). */
  readonly maySet: readonly number[];
  readonly clears: readonly number[];
}

/** Number of keys for which a number has bits. */
const keysAtOnce = 31;

/** Maximum of rounds: no real pipeline has more keys, and hostile ones could take for ever. */
const mostRounds = 16;

/**
 * Follows keys through the control flow, as the context does: from point to point, into branches but not
 * out of them (SEMANTICS 51) unless they are merged (SEMANTICS 107), and not over a restart (SEMANTICS 36). One walk through the graph serves 31
 * keys.
 * @returns flows in the order of the keys; undefined for those beyond the maximum
 */
export function keyFlows(flow: ControlFlow, uses: readonly KeyUse[]): readonly (KeyFlow | undefined)[] {
  const flows: (KeyFlow | undefined)[] = [];
  for (let first = 0; first < uses.length; first += keysAtOnce) {
    const round = uses.slice(first, first + keysAtOnce);
    if (first >= keysAtOnce * mostRounds) flows.push(...round.map(() => undefined));
    else flows.push(...flowRound(flow, round));
  }
  return flows;
}

function flowRound(flow: ControlFlow, uses: readonly KeyUse[]): readonly KeyFlow[] {
  const count = flow.points.length;
  const sets = new Int32Array(count);
  const maySet = new Int32Array(count);
  const clears = new Int32Array(count);
  for (const [bit, use] of uses.entries()) {
    for (const point of use.sets) sets[point] = at(sets, point) | (1 << bit);
    for (const point of use.maySet) maySet[point] = at(maySet, point) | (1 << bit);
    for (const point of use.clears) clears[point] = at(clears, point) | (1 << bit);
  }
  const all = 2 ** uses.length - 1;
  const maybeSet = new Int32Array(count);
  const maybeUnset = new Int32Array(count);
  const open: number[] = [];
  const isOpen = new Uint8Array(count);
  const arrive = (point: number, set: number, unset: number): void => {
    const isNew = (set & ~at(maybeSet, point)) !== 0 || (unset & ~at(maybeUnset, point)) !== 0;
    if (!isNew) return;
    maybeSet[point] = at(maybeSet, point) | set;
    maybeUnset[point] = at(maybeUnset, point) | unset;
    if (isOpen[point] === 1) return;
    isOpen[point] = 1;
    open.push(point);
  };
  if (count > 0) arrive(0, 0, all);
  for (let index = 0; index < open.length; index += 1) {
    const point = open[index] ?? 0;
    isOpen[point] = 0;
    const [set, unset] = [at(maybeSet, point), at(maybeUnset, point)];
    const [own, cleared] = [at(sets, point), at(clears, point)];
    for (const { to, by } of flow.stepsFrom(point)) {
      // The values that the start has assigned are set again (SEMANTICS 102).
      if (by === 'restart') arrive(to, at(sets, 0), all & ~at(sets, 0));
      // Branches see the context of the fork, and the keys of the parallel node are set at the join.
      else if (by === 'branch') arrive(to, set, unset);
      else arrive(to, (set | own | at(maySet, point)) & ~cleared, (unset & ~own) | cleared);
    }
  }
  return uses.map((_, bit) => ({
    maybeSet: (point) => (at(maybeSet, point) & (1 << bit)) !== 0,
    maybeUnset: (point) => (at(maybeUnset, point) & (1 << bit)) !== 0,
  }));
}

function at(bits: Int32Array, point: number): number {
  return bits[point] ?? 0;
}
