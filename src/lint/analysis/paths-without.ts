import type { ControlFlow } from './control-flow.js';

/**
 * Shortest path from the beginning of a context, the start or a restart, to a point, without the given
 * points; both ends included.
 */
export function pathAvoiding(
  flow: ControlFlow,
  target: number,
  avoidedPoints: ReadonlySet<number>,
): readonly number[] | undefined {
  const cameFrom = search(flow, avoidedPoints, target);
  return cameFrom.has(target) ? wayTo(target, cameFrom) : undefined;
}

/** Points that a path reaches from the beginning of a context without leaving one of the given points. */
export function pointsReachedWithout(
  flow: ControlFlow,
  avoidedPoints: ReadonlySet<number>,
): ReadonlySet<number> {
  return new Set(search(flow, avoidedPoints).keys());
}

/** Reached points, each with the one before it; the search ends at the target. */
function search(
  flow: ControlFlow,
  avoidedPoints: ReadonlySet<number>,
  target?: number,
): ReadonlyMap<number, number | undefined> {
  const cameFrom = new Map<number, number | undefined>([[0, undefined]]);
  for (const { index } of flow.points) {
    for (const { to, by } of flow.stepsFrom(index)) if (by === 'restart') cameFrom.set(to, undefined);
  }
  for (const index of cameFrom.keys()) {
    if (index === target) return cameFrom;
    for (const { to, by } of flow.stepsFrom(index)) {
      // A parallel node sets its keys at the join, so that its branches come before that.
      if (cameFrom.has(to) || by === 'restart' || (avoidedPoints.has(index) && by !== 'branch')) continue;
      cameFrom.set(to, index);
    }
  }
  return cameFrom;
}

function wayTo(target: number, cameFrom: ReadonlyMap<number, number | undefined>): readonly number[] {
  const path: number[] = [];
  for (let point: number | undefined = target; point !== undefined; point = cameFrom.get(point))
    path.push(point);
  return path.reverse();
}

/**
 * True if a loop leads from a point over one of the others and back to it: a value that is missing in its
 * first round is set later.
 */
export function isOnLoopOver(flow: ControlFlow, point: number, others: ReadonlySet<number>): boolean {
  const reachable = reachedFrom(flow, [point]);
  const passed = [...others].filter((other) => reachable.has(other) || other === point);
  return passed.includes(point) ? reachable.has(point) : reachedFrom(flow, passed).has(point);
}

/** Everything after any of the points. */
function reachedFrom(flow: ControlFlow, points: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  const open = [...points];
  for (const index of open) {
    for (const { to, by } of flow.stepsFrom(index)) {
      if (by === 'restart' || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}
