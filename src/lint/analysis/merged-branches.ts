import { nodeAttribute } from '../../graph/attributes.js';
import type { Graph, Node } from '../../graph/graph.js';
import { foreachOf } from '../../graph/parallel.js';
import { outgoingEdges } from '../../graph/queries.js';
import { isAuthorsKey } from '../../graph/values/handler-keys.js';
import { attributeOwners } from '../attribute-owners.js';
import type { ControlFlow, ProgramPoint } from './control-flow.js';

/** Parallel nodes by which values leave their branches (SEMANTICS 107). */
export interface MergedBranches {
  /**
   * Parallel nodes that set a key when their branches meet.
   * @param writers points that set it themselves
   */
  settersOf(key: string, writers: readonly number[]): KeySetters;
  /** Ends of the branches whose values are merged where control arrives at a point. */
  endsBefore(point: number): readonly number[];
}

/** Points of parallel nodes. */
export interface KeySetters {
  /** At least one branch sets the key on each of its paths. */
  readonly always: readonly number[];
  /** A branch may set the key. */
  readonly maybe: readonly number[];
}

/** Parallel node that merges the values of its branches. */
export interface MergingFork {
  readonly index: number;
  /** First points of the branches. */
  readonly entries: readonly number[];
  /** Points of the branches, without those of branches in them. */
  readonly inside: ReadonlySet<number>;
  /** Number of the branches that must set a key so that it is set after the join; none suffices for a list, which may be empty. */
  readonly needed: number;
}

/** True if a parallel node says how to merge its branches, even if misspelt. */
export function mergesBranches(parallel: Node): boolean {
  return nodeAttribute(parallel, 'on_conflict') !== 'isolate';
}

const nobody: KeySetters = { always: [], maybe: [] };
const nowhere: readonly number[] = [];

export function mergedBranches(graph: Graph, flow: ControlFlow): MergedBranches {
  const forks = mergingForks(graph, flow);
  const ends = new Map<number, number[]>();
  for (const { index, inside } of forks) {
    const branchEnds = [...inside].filter(flow.endsAt);
    for (const { to, by } of flow.stepsFrom(index)) {
      if (by === 'join') ends.set(to, [...(ends.get(to) ?? []), ...branchEnds]);
    }
  }
  return {
    settersOf: (key, writers) =>
      forks.length === 0 || !isAuthorsKey(key) ? nobody : findSetters(flow, forks, writers),
    endsBefore: (point) => ends.get(point) ?? nowhere,
  };
}

/** Parallel nodes that merge, those in branches before the ones around them. */
export function mergingForks(graph: Graph, flow: ControlFlow): readonly MergingFork[] {
  if (attributeOwners(graph).nodesWith('on_conflict').length === 0) return [];
  return flow.points
    .filter(({ node, handler }: ProgramPoint) => handler.forks && mergesBranches(node))
    .map(({ index, node }) => {
      const entries = flow.stepsFrom(index).flatMap(({ to, by }) => (by === 'branch' ? [to] : []));
      const endsEarly = nodeAttribute(node, 'join_policy') === 'first_success';
      const needed = endsEarly ? outgoingEdges(graph, node.id).length : 1;
      const isList = foreachOf(node) !== undefined;
      return {
        index,
        entries,
        inside: reachedInBranch(flow, entries),
        needed: isList ? Number.POSITIVE_INFINITY : needed,
      };
    })
    .reverse();
}

/** Points of branches that begin at these, without those of branches in them. */
export function reachedInBranch(flow: ControlFlow, entries: readonly number[]): ReadonlySet<number> {
  return reachedFrom(flow, entries, new Set());
}

function findSetters(
  flow: ControlFlow,
  forks: readonly MergingFork[],
  writers: readonly number[],
): KeySetters {
  const sure = new Set(writers);
  const possible = new Set(writers);
  const always: number[] = [];
  const maybe: number[] = [];
  for (const { index, entries, inside, needed } of forks) {
    if (![...possible].some((point) => inside.has(point))) continue;
    possible.add(index);
    const setting = entries.filter((entry) => !endsWithout(flow, entry, sure));
    if (setting.length >= needed) {
      sure.add(index);
      always.push(index);
    } else maybe.push(index);
  }
  return { always, maybe };
}

/** True if a branch may end without any of the given points. */
function endsWithout(flow: ControlFlow, entry: number, points: ReadonlySet<number>): boolean {
  for (const point of reachedFrom(flow, [entry], points)) {
    if (!points.has(point) && flow.endsAt(point)) return true;
  }
  return false;
}

/** Points that control reaches without leaving the branch, and without leaving any of the given points. */
function reachedFrom(
  flow: ControlFlow,
  entries: readonly number[],
  avoidedPoints: ReadonlySet<number>,
): ReadonlySet<number> {
  const reached = new Set(entries);
  for (const index of reached) {
    if (avoidedPoints.has(index)) continue;
    for (const { to, by } of flow.stepsFrom(index)) if (by !== 'branch') reached.add(to);
  }
  return reached;
}
