import type { Handler } from './handler.js';

/** Fan-out (§4.8): the machine runs its branches itself, as cursors that the journal follows. */
export const parallelHandler: Handler = {
  fansOut: true,
  execute: () => ({ status: 'success' }),
};
