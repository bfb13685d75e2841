import type { Submission } from '../durable-run.js';
import { type FilesReach, mayTake, type PlacedWorker, type Placement } from '../placement.js';

/** Kind of the workflows in a queue: runs, or stages of runs that are spread. */
export type QueueKind = 'runs' | 'stages';

/** Queue of what has a placement: what requires the same labels, or continues on the same machine, shares one. */
export function queueOf({ requires, host }: Placement, kind: QueueKind = 'runs'): string {
  if (host !== undefined) return `${kind}@${host}`;
  return requires.length === 0 ? kind : `${kind}:${requires.join(',')}`;
}

/** True if a worker may take from a queue; undefined for a queue of DBOS itself. */
export function mayTakeFrom(
  queue: string,
  worker: Pick<PlacedWorker, 'labels' | 'host'>,
): boolean | undefined {
  const placement = placementOfQueue(queue);
  return placement && mayTake(worker, placement);
}

/** Kind of a queue. */
export function kindOfQueue(queue: string): QueueKind | undefined {
  const [, kind] = /^(runs|stages)(?:[:@]|$)/.exec(queue) ?? [];
  return kind as QueueKind | undefined;
}

/** Placement of what is in a queue; undefined for a queue of DBOS itself. */
export function placementOfQueue(queue: string): Placement | undefined {
  const kind = kindOfQueue(queue);
  if (kind === undefined) return undefined;
  const named = queue.slice(kind.length + 1);
  if (queue[kind.length] === '@') return { requires: [], host: named };
  return { requires: named === '' ? [] : named.split(',') };
}

/** Settings of new queues; what stands in the database is for those who have the cluster to change. */
export const queueSettings = { minPollingIntervalMs: 100, onConflict: 'never_update' } as const;

/** Facts about a run by which the database finds it. */
export function attributesOf({ files }: { readonly files: Pick<Submission['files'], 'reach'> }): {
  readonly files: FilesReach;
} {
  return { files: files.reach };
}
