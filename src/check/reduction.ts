import type { Program } from '../graph/program.js';
import type { Monitor } from '../graph/properties/monitor.js';
import type { RunEvent } from '../machine/event.js';
import { observationOf } from '../machine/properties/monitors.js';
import type { Cursor, RunState } from '../machine/state.js';
import type { Successor } from './search-step.js';

/**
 * True if a branch may go first, and no other order of its next step and of what the other branches do needs to be looked at
 * (partial-order reduction): no property sees the step, whatever it comes to, and it neither helps nor hinders another branch.
 */
export function mayGoFirst(program: Program, state: RunState, successors: readonly Successor[]): boolean {
  const cursor = state.cursors.get(successors[0]?.step.cursor ?? '');
  if (cursor?.branch === undefined || cursor.phase === 'forked' || !areIndependent(program, state, cursor))
    return false;
  return successors.every(
    ({ state: after, events }) =>
      after.status === 'running' && events.every((event) => isUnseen(program, event)),
  );
}

/** True if no end of a branch around a cursor stops others before they have ended themselves. */
function areIndependent({ nodes }: Program, state: RunState, cursor: Cursor): boolean {
  for (let around = cursor.branch; around !== undefined; around = state.cursors.get(around.parent)?.branch) {
    const node = nodes.get(around.parallelId);
    if (node?.parallel === undefined || node.timeout !== undefined) return false;
    const { parallel } = node;
    if (parallel.joinPolicy === 'first_success' || parallel.errorPolicy === 'fail_fast') return false;
  }
  return true;
}

function isUnseen({ nodes, monitors }: Program, event: RunEvent): boolean {
  // Which goal gate comes first decides about the jump.
  if ('node_id' in event && nodes.get(event.node_id ?? '')?.goalGate === true) return false;
  const seen = observationOf(event);
  if (seen === undefined) return true;
  return monitors.every((monitor) => !isWatched(monitor, seen));
}

type Seen = NonNullable<ReturnType<typeof observationOf>>;

function isWatched({ watched }: Monitor, seen: Seen): boolean {
  switch (seen.kind) {
    case 'started':
      return watched.starts.has(seen.nodeId);
    case 'ended':
      return watched.ends.get(seen.nodeId)?.(seen.outcome) === true;
    case 'completes':
      return true;
  }
}
