import { type AvoidingPath, type AvoidingPaths, avoidingPaths } from './avoiding-paths.js';
import type { ControlFlow, ProgramPoint, Step } from './control-flow.js';

/** Path to the end of a run that does not visit a node. */
export interface Bypass {
  readonly points: readonly ProgramPoint[];
  /** Position in `points` of the last point from which there is also a path to the node. */
  readonly parting: number;
  /** Join at which a path through a branch continues after its last point; undefined otherwise. */
  readonly join: string | undefined;
}

/**
 * Maximum of entries to search from: branches may share the points after them, and each is searched
 * separately.
 */
const mostEntries = 1000;

/** Result beyond that maximum: no bypass is found. */
const unknown: AvoidingPaths = { reaches: () => true, around: () => undefined };

/**
 * Finds paths that avoid a node (SEMANTICS 32). A node in a branch is avoided if its parallel node is, or
 * if every branch has a path without it: the path then begins at the parallel node. A node that may be in
 * several points is skipped.
 */
export function bypassFinder(flow: ControlFlow): (nodeId: string) => Bypass | undefined {
  const paths = new Map<number, AvoidingPaths>();
  const pathsFrom = (entry: number): AvoidingPaths => {
    const found =
      paths.get(entry) ??
      (paths.size < mostEntries ? avoidingPaths(entry, forward(flow), flow.endsAt) : unknown);
    paths.set(entry, found);
    return found;
  };
  return (nodeId) => {
    const [point, ...others] = flow.placesOf(nodeId);
    if (point === undefined || others.length > 0) return undefined;
    return bypassOf(flow, point, pathsFrom);
  };
}

/**
 * Steps forward: not into a branch, because the parallel node itself continues at the join; nor back from
 * the exit, because the path would only begin again.
 */
function forward(flow: ControlFlow): (index: number) => readonly Step[] {
  const isForward = ({ by }: Step) => by !== 'branch' && by !== 'goal_gate';
  return (index) => {
    const steps = flow.stepsFrom(index);
    return steps.every(isForward) ? steps : steps.filter(isForward);
  };
}

function bypassOf(
  flow: ControlFlow,
  point: ProgramPoint,
  pathsFrom: (entry: number) => AvoidingPaths,
): Bypass | undefined {
  const { region } = point;
  if (region === undefined) return asBypass(flow, pathsFrom(0).around(point.index));
  const parallel = flow.placesOf(region.parallelId).find((other) => other.region === region.around);
  if (parallel === undefined) return undefined;
  const outerBypass = bypassOf(flow, parallel, pathsFrom);
  if (outerBypass !== undefined) return outerBypass;
  let inside: AvoidingPath | undefined;
  for (const { to, by } of flow.stepsFrom(parallel.index)) {
    if (by !== 'branch') continue;
    const paths = pathsFrom(to);
    if (!paths.reaches(point.index)) continue;
    const avoidingPath = paths.around(point.index);
    if (avoidingPath === undefined) return undefined;
    inside ??= avoidingPath;
  }
  if (inside === undefined) return undefined;
  const { points, parting } = inside;
  return asBypass(
    flow,
    { points: [parallel.index, ...points], parting: parting + 1 },
    flow.joins.get(region.parallelId),
  );
}

function asBypass(flow: ControlFlow, path: AvoidingPath | undefined, join?: string): Bypass | undefined {
  if (path === undefined) return undefined;
  return { points: path.points.flatMap((index) => flow.points[index] ?? []), parting: path.parting, join };
}
