import type { Handler } from './handler.js';

/** End of a pipeline (§4.4): does nothing; the machine checks the goal gates. */
export const exitHandler: Handler = {
  execute: () => ({ status: 'success' }),
};
