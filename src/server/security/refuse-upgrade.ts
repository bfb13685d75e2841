import { ProblemError } from '../problem-error.js';
import type { Guard } from './guard.js';

/** Refuses to speak anything else than HTTP over a connection, as WebSockets would: nothing here does (§9.5). */
export const refuseUpgrade: Guard = (c) => {
  if (c.req.header('upgrade') === undefined) return undefined;
  c.header('Connection', 'close');
  throw new ProblemError(
    'bad_request',
    'this server only speaks HTTP and does not upgrade connections; events are at GET /pipelines/{id}/events',
  );
};
