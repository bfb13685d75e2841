import type { Program } from '../graph/program.js';
import { decide } from '../machine/decide.js';
import type { RunState } from '../machine/state.js';
import type { CursorSteps } from './cursor-steps.js';
import { inNoTime, isBroken, type SearchStep, type Visit } from './search-step.js';

/** Number of events that the property of a program has counted, plus one; 0 for one that counts nothing now. */
function countedBy({ monitors: [monitor] }: Program, { monitors: [value = 0] }: RunState): number {
  return monitor?.property.kind === 'bound' ? value : 0;
}

/** Most visits before one among which its cycle is looked for. */
const longestCycle = 1_000;

/** Most steps in all. */
const mostSteps = 20_000;

/**
 * Repeats the cycle that ends at a visit, if a run has come back there with a higher count: the end of a run that breaks the property
 * so, `in_vain` if a limit of the pipeline comes first, or undefined if there is no such cycle.
 */
export function repeatCycle(program: Program, steps: CursorSteps, end: Visit): Visit | 'in_vain' | undefined {
  const cycle = cycleOf(program, end);
  if (cycle === undefined) return undefined;
  let visit = end;
  for (let count = 0; count < mostSteps; count += 1) {
    const next = cycle[count % cycle.length];
    const cursor = next && visit.state.cursors.get(next.cursor);
    if (cursor === undefined || cursor.nodeId !== next?.nodeId || !steps.isMovable(cursor)) return 'in_vain';
    const step = steps.of(cursor)[next.ordinal];
    if (step === undefined) return 'in_vain';
    const { state } = decide(program, visit.state, inNoTime(step.input, step.now));
    visit = { ...visit, state, before: visit, step, key: '' };
    if (isBroken(state)) return visit;
    if (state.status !== 'running') return 'in_vain';
  }
  return 'in_vain';
}

/** Steps from an earlier visit of the same key with a lower count. */
function cycleOf(program: Program, end: Visit): readonly SearchStep[] | undefined {
  const cycle: SearchStep[] = [];
  const count = countedBy(program, end.state);
  for (let visit: Visit | undefined = end; visit !== undefined; visit = visit.before) {
    if (visit !== end && visit.key === end.key)
      return countedBy(program, visit.state) < count ? cycle.reverse() : undefined;
    if (visit.step === undefined || cycle.length > longestCycle) return undefined;
    cycle.push(visit.step);
  }
  return undefined;
}
