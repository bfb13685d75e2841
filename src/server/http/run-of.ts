import { ProblemError } from '../problem-error.js';
import type { ServerParts } from '../server-parts.js';

/**
 * Directory of a run that has begun, so that it has a history.
 * @throws ProblemError `not_found`; `conflict` for a run that still waits in the queue
 */
export function begunRun({ registry }: ServerParts, id: string): string {
  const directory = registry.directory(id);
  if (!registry.isQueued(id)) return directory;
  throw new ProblemError('conflict', `the run "${id}" is queued: nothing has happened in it yet`);
}
