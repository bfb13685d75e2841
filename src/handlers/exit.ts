import type { Handler } from './handler.js';

/** The end of a pipeline (§4.4): does nothing; the goal gates are the machine's business. */
export const exitHandler: Handler = {
  execute: () => ({ status: 'success' }),
};
