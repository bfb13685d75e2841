import type { LockOwner } from '../../run-directory/lock-owner.js';
import type { ClusterRun } from '../cluster.js';

/** Owner of a run of a cluster, as a lock names it: the same one, whatever worker has the run; undefined if nothing executes it now. */
export function lockOwnerOf({ carrier, history, submittedAt }: ClusterRun): LockOwner | undefined {
  // A worker keeps a paused run only for the message that resumes it.
  if (history.rests || history.isOver) return undefined;
  if (carrier.kind === 'over' || carrier.kind === 'failed') return undefined;
  const { since } = carrier;
  const { pid, host, id } = carrier.kind === 'worker' ? carrier : { pid: 0, host: 'cluster', id: null };
  // The start of no machine is called so: the number of the process means nothing on this one.
  const place = { host, boot: 'cluster', pid_namespace: '' };
  return { pid, process_start: '', since: submittedAt, place, cluster: { worker: id, since } };
}
