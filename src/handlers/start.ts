import type { Handler } from './handler.js';

/** The entry point of a pipeline (§4.3): does nothing. */
export const startHandler: Handler = {
  execute: () => ({ status: 'success' }),
};
