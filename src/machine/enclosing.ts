import { leadsBackTo } from '../graph/flow/leads-back-to.js';
import { perObject } from '../graph/per-object.js';
import type { Program } from '../graph/program.js';
import type { BranchOrigin, Cursor } from './state.js';
import type { Transition } from './transition.js';

/**
 * Reason why a branch may not enter a node: it is a parallel node around the branch, which would then begin
 * inside of itself (SEMANTICS 48a). Undefined if it may.
 */
export function whyNotInside(transition: Transition, cursor: Cursor): string | undefined {
  const { nodeId, previousNode = nodeId } = cursor;
  if (!enclosingParallels(transition, cursor).has(nodeId)) return undefined;
  return `"${previousNode}" leads back to "${nodeId}", but this branch belongs to it; a branch cannot run its own parallel node again`;
}

/**
 * Reason why a cursor may not jump to a node: every path from there leads back to a parallel node around
 * it. Undefined on the main line, and if the branch can reach its end.
 */
export function whyNoJump(transition: Transition, cursor: Cursor, nodeId: string): string | undefined {
  if (cursor.branch === undefined) return undefined;
  const { program } = transition;
  const inside = enclosingParallels(transition, cursor);
  const back = leadsBackTo(program.graph, nodeId, inside, endsOf(program, inside));
  if (back === undefined) return undefined;
  const way = back === nodeId ? `"${nodeId}" is` : `"${nodeId}" only leads back to "${back}",`;
  return `${way} the parallel node of the branch, which a branch cannot run again`;
}

/** Parallel nodes around a cursor, the innermost first; none on the main line. */
function enclosingParallels(transition: Transition, { branch }: Cursor): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let around: BranchOrigin | undefined = branch; around !== undefined; ) {
    ids.add(around.parallelId);
    around = transition.cursor(around.parent).branch;
  }
  return ids;
}

/** Nodes known to reach the end of a branch, by the parallel nodes around it; they do not change. */
const knownEnds = perObject((_: Program) => new Map<string, Set<string>>());

function endsOf(program: Program, inside: ReadonlySet<string>): Set<string> {
  const known = knownEnds(program);
  const place = [...inside].join(' ');
  const joins = [...inside].flatMap((id) => program.nodes.get(id)?.parallel?.joinId ?? []);
  const ends = known.get(place) ?? new Set([...joins, program.exitId]);
  known.set(place, ends);
  return ends;
}
