import type { ControlFlow, Place, Step } from './control-flow.js';
import { type WayAround, type WaysAround, waysAround } from './ways-around.js';

/** A way to the end of a run on which a node is not visited. */
export interface Bypass {
  readonly places: readonly Place[];
  /** Position in `places` of the last place from which there is also a way to the node. */
  readonly parting: number;
  /** Where the way leads on, after its last place, if it is one through a branch only: to where the branches meet. */
  readonly join: string | undefined;
}

/** Branches may share what is after them, and each is walked through by itself: there is an end to that. */
const mostEntries = 1000;

/** As if every way led through it: nothing is said. */
const unknown: WaysAround = { reaches: () => true, around: () => undefined };

/**
 * Finds ways that avoid a node (SEMANTICS 32). A node in a branch is avoided where its parallel node is, or where every branch
 * has a way without it: the way then begins at the parallel node. Nothing is said of a node that may be in several places.
 * @param isTaken whether a run may go along an edge from one node to another
 */
export function bypassFinder(
  flow: ControlFlow,
  isTaken: (from: string, to: string) => boolean = () => true,
): (nodeId: string) => Bypass | undefined {
  const ways = new Map<number, WaysAround>();
  const waysFrom = (entry: number): WaysAround => {
    const found =
      ways.get(entry) ??
      (ways.size < mostEntries ? waysAround(entry, forward(flow, isTaken), flow.endsAt) : unknown);
    ways.set(entry, found);
    return found;
  };
  return (nodeId) => {
    const [place, ...others] = flow.placesOf(nodeId);
    if (place === undefined || others.length > 0) return undefined;
    return bypassOf(flow, place, waysFrom);
  };
}

/** Into a branch is no way on: the parallel node itself continues at the join. From the exit the way would only begin again. */
function forward(
  flow: ControlFlow,
  isTaken: (from: string, to: string) => boolean,
): (index: number) => readonly Step[] {
  const idAt = (index: number) => flow.places[index]?.node.id ?? '';
  const isForward = (from: number, { by, to }: Step) =>
    by !== 'branch' && by !== 'goal_gate' && (by !== 'edge' || isTaken(idAt(from), idAt(to)));
  return (index) => {
    const steps = flow.stepsFrom(index);
    return steps.every((step) => isForward(index, step))
      ? steps
      : steps.filter((step) => isForward(index, step));
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
