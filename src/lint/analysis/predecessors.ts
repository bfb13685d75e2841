import { perObject } from '../../graph/per-object.js';
import type { ControlFlow } from './control-flow.js';

/** Steps of a control flow, by their targets. */
export interface Predecessors {
  forEach(index: number, visit: (from: number) => void): void;
}

/** Sources of control and the context, computed once. Restarts are left out: they bring nothing along. */
export const predecessors = perObject((flow: ControlFlow): Predecessors => {
  const { first, sources } = turnedRound(flow);
  return {
    forEach(index, visit) {
      const end = first[index + 1] ?? 0;
      for (let edge = first[index] ?? 0; edge < end; edge += 1) visit(sources[edge] ?? 0);
    },
  };
});

/** Sources of all points in one list, those of each from `first[point]` to `first[point + 1]`. */
function turnedRound(flow: ControlFlow): { readonly first: Int32Array; readonly sources: Int32Array } {
  const count = flow.points.length;
  const first = new Int32Array(count + 2);
  forEachStep(flow, (_, to) => {
    first[to + 2] = (first[to + 2] ?? 0) + 1;
  });
  for (let index = 2; index < first.length; index += 1) {
    first[index] = (first[index] ?? 0) + (first[index - 1] ?? 0);
  }
  const sources = new Int32Array(first[count + 1] ?? 0);
  forEachStep(flow, (from, to) => {
    const index = first[to + 1] ?? 0;
    sources[index] = from;
    first[to + 1] = index + 1;
  });
  return { first, sources };
}

function forEachStep(flow: ControlFlow, visit: (from: number, to: number) => void): void {
  for (let index = 0; index < flow.points.length; index += 1) {
    for (const { to, by } of flow.stepsFrom(index)) if (by !== 'restart') visit(index, to);
  }
}
