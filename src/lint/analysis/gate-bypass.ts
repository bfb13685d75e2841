import type { ControlFlow, Place, Step } from './control-flow.js';
import { type WayAround, type WaysAround, waysAround } from './ways-around.js';

/** Path to the end of a run that does not visit a node. */
export interface Bypass {
  readonly places: readonly Place[];
  /** Position in `places` of the last place from which there is also a path to the node. */
  readonly parting: number;
  /** Join at which a path through a branch continues after its last place; undefined otherwise. */
  readonly join: string | undefined;
}

/**
 * Maximum of entries to search from: branches may share the places after them, and each is searched
 * separately.
 */
const mostEntries = 1000;

/** Result beyond that maximum: no bypass is found. */
const unknown: WaysAround = { reaches: () => true, around: () => undefined };

/**
 * Finds paths that avoid a node (SEMANTICS 32). A node in a branch is avoided if its parallel node is, or
 * if every branch has a path without it: the path then begins at the parallel node. A node that may be in
 * several places is skipped.
 */
export function bypassFinder(flow: ControlFlow): (nodeId: string) => Bypass | undefined {
  const ways = new Map<number, WaysAround>();
  const waysFrom = (entry: number): WaysAround => {
    const found =
      ways.get(entry) ?? (ways.size < mostEntries ? waysAround(entry, forward(flow), flow.endsAt) : unknown);
    ways.set(entry, found);
    return found;
  };
  return (nodeId) => {
    const [place, ...others] = flow.placesOf(nodeId);
    if (place === undefined || others.length > 0) return undefined;
    return bypassOf(flow, place, waysFrom);
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
  place: Place,
  waysFrom: (entry: number) => WaysAround,
): Bypass | undefined {
  const { region } = place;
  if (region === undefined) return asBypass(flow, waysFrom(0).around(place.index));
  const parallel = flow.placesOf(region.parallelId).find((other) => other.region === region.around);
  if (parallel === undefined) return undefined;
  const outside = bypassOf(flow, parallel, waysFrom);
  if (outside !== undefined) return outside;
  let inside: WayAround | undefined;
  for (const { to, by } of flow.stepsFrom(parallel.index)) {
    if (by !== 'branch') continue;
    const ways = waysFrom(to);
    if (!ways.reaches(place.index)) continue;
    const around = ways.around(place.index);
    if (around === undefined) return undefined;
    inside ??= around;
  }
  if (inside === undefined) return undefined;
  const { places, parting } = inside;
  return asBypass(
    flow,
    { places: [parallel.index, ...places], parting: parting + 1 },
    flow.joins.get(region.parallelId),
  );
}

function asBypass(flow: ControlFlow, way: WayAround | undefined, join?: string): Bypass | undefined {
  if (way === undefined) return undefined;
  return { places: way.places.flatMap((index) => flow.places[index] ?? []), parting: way.parting, join };
}
