import { cyclicGroups } from '../../graph/flow/cycles.js';
import type { ControlFlow, ProgramPoint } from './control-flow.js';
import { predecessors } from './predecessors.js';

/**
 * Part of a graph in which a run gets stuck: once there, it never reaches the exit, and a branch never its
 * end.
 */
export interface Trap {
  /**
   * Nodes in the order in which they are reached; one if no edge leads on, several if they lead round and
   * round.
   */
  readonly nodeIds: readonly string[];
  readonly isDeadEnd: boolean;
  readonly isInBranch: boolean;
  /** Other nodes from which a run can only get stuck, here or in a later trap. */
  readonly leadingThere: readonly string[];
}

/**
 * Finds the nodes that a run may reach and from which, wherever they are entered, no path leads to the end
 * (SEMANTICS 22, 48).
 */
export function deadEnds(flow: ControlFlow, exitId: string): readonly Trap[] {
  const free = placesWithWayOut(flow, exitId);
  const isStuck = ({ index, node }: ProgramPoint) =>
    !free[index] && flow.placesOf(node.id).every((point) => !free[point.index]);
  const stuck = flow.points.filter(isStuck).map(({ index }) => index);
  if (stuck.length === 0) return [];
  const among = new Set(stuck);
  const next = (index: number) =>
    flow
      .stepsFrom(index)
      .filter(({ by, to }) => by !== 'branch' && among.has(to))
      .map(({ to }) => to);
  const cameFrom = cameFromAmong(stuck, next);
  const seen = new Set<number>();
  const reported = new Set<string>();
  const traps: Trap[] = [];
  for (const group of closedGroups(stuck, next)) {
    const reached = group.filter((index) => !seen.has(index));
    for (const index of reached) {
      if (!seen.has(index)) reached.push(...(cameFrom.get(index) ?? []).filter((from) => !seen.has(from)));
      seen.add(index);
    }
    const ids = idsOf(flow, reached).filter((id) => !reported.has(id));
    const inGroup = new Set(idsOf(flow, group));
    const nodeIds = ids.filter((id) => inGroup.has(id));
    const [first] = flow.placesOf(nodeIds[0] ?? '');
    if (first === undefined) continue;
    for (const id of ids) reported.add(id);
    traps.push({
      nodeIds,
      isDeadEnd: nodeIds.length === 1 && flow.stepsFrom(first.index).length === 0,
      isInBranch: first.region !== undefined,
      leadingThere: ids.filter((id) => !inGroup.has(id)),
    });
  }
  return traps;
}

function idsOf(flow: ControlFlow, indices: readonly number[]): readonly string[] {
  return [...new Set(indices.flatMap((index) => flow.points[index]?.node.id ?? []))];
}

type Next = (index: number) => readonly number[];

/** Groups of points without a step out of them, in the order in which they are reached. */
function closedGroups(stuck: readonly number[], next: Next): readonly (readonly number[])[] {
  const cycles = cyclicGroups(stuck.map(String), (id) => next(Number(id)).map(String));
  const groups = cycles.map((ids) => ids.map(Number).sort((one, other) => one - other));
  const deadEnds = stuck.filter((index) => next(index).length === 0).map((index) => [index]);
  return [...deadEnds, ...groups.filter((group) => isClosed(group, next))].sort(
    ([one = 0], [other = 0]) => one - other,
  );
}

function cameFromAmong(stuck: readonly number[], next: Next): ReadonlyMap<number, readonly number[]> {
  const cameFrom = new Map<number, number[]>();
  for (const index of stuck) {
    for (const to of next(index)) {
      const others = cameFrom.get(to);
      if (others === undefined) cameFrom.set(to, [index]);
      else others.push(index);
    }
  }
  return cameFrom;
}

function isClosed(group: readonly number[], next: Next): boolean {
  const members = new Set(group);
  return group.every((index) => next(index).every((to) => members.has(to)));
}

/** Points, by index, with a path to the exit, or out of the branch. */
function placesWithWayOut(flow: ControlFlow, exitId: string): Uint8Array {
  const cameFrom = predecessors(flow);
  const isFree = new Uint8Array(flow.points.length);
  const open: number[] = [];
  const restarts = new Map<number, readonly number[]>();
  const free = (index: number) => {
    if (isFree[index] === 1) return;
    isFree[index] = 1;
    open.push(index);
  };
  for (const { index, node, region } of flow.points) {
    const isEnd = region === undefined ? node.id === exitId : flow.endsAt(index);
    if (isEnd) free(index);
    for (const { to, by } of flow.stepsFrom(index)) {
      if (by === 'restart') restarts.set(to, [...(restarts.get(to) ?? []), index]);
    }
  }
  const freeOutside = (from: number, to: number) => {
    // The end of a branch does not bring its parallel node to the join.
    if (flow.points[from]?.region === flow.points[to]?.region) free(from);
  };
  for (const index of open) {
    cameFrom.forEach(index, (from) => freeOutside(from, index));
    restarts.get(index)?.forEach(free);
  }
  return isFree;
}
