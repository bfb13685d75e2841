import type { ControlFlow } from './control-flow.js';

/**
 * Shortest path from the beginning of a context, the start or a restart, to a place, without the given
 * places; both ends included.
 */
export function wayWithout(
  flow: ControlFlow,
  target: number,
  avoided: ReadonlySet<number>,
): readonly number[] | undefined {
  const cameFrom = search(flow, avoided, target);
  return cameFrom.has(target) ? wayTo(target, cameFrom) : undefined;
}

/** Places that a path reaches from the beginning of a context without leaving one of the given places. */
export function placesWithout(flow: ControlFlow, avoided: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(search(flow, avoided).keys());
}

/** Reached places, each with the one before it; the search ends at the target. */
function search(
  flow: ControlFlow,
  avoided: ReadonlySet<number>,
  target?: number,
): ReadonlyMap<number, number | undefined> {
  const cameFrom = new Map<number, number | undefined>([[0, undefined]]);
  for (const { index } of flow.places) {
    for (const { to, by } of flow.stepsFrom(index)) if (by === 'restart') cameFrom.set(to, undefined);
  }
  for (const index of cameFrom.keys()) {
    if (index === target) return cameFrom;
    for (const { to, by } of flow.stepsFrom(index)) {
      // A parallel node sets its keys at the join, so that its branches come before that.
      if (cameFrom.has(to) || by === 'restart' || (avoided.has(index) && by !== 'branch')) continue;
      cameFrom.set(to, index);
    }
  }
  return cameFrom;
}

function wayTo(target: number, cameFrom: ReadonlyMap<number, number | undefined>): readonly number[] {
  const way: number[] = [];
  for (let at: number | undefined = target; at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way.reverse();
}

/**
 * True if a loop leads from a place over one of the others and back to it: a value that is missing in its
 * first round is set later.
 */
export function isOnLoopOver(flow: ControlFlow, place: number, others: ReadonlySet<number>): boolean {
  const behind = reachedFrom(flow, [place]);
  const passed = [...others].filter((other) => behind.has(other) || other === place);
  return passed.includes(place) ? behind.has(place) : reachedFrom(flow, passed).has(place);
}

/** Everything after any of the places. */
function reachedFrom(flow: ControlFlow, places: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  const open = [...places];
  for (const index of open) {
    for (const { to, by } of flow.stepsFrom(index)) {
      if (by === 'restart' || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}
