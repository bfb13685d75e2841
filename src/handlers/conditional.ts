import type { Handler } from './handler.js';

/** A diamond (§4.7): does nothing; the machine routes on the outcome that came in. */
export const conditionalHandler: Handler = {
  isTrusted: true,
  execute: ({ node }) => ({ status: 'success', notes: `Conditional node evaluated: ${node.id}` }),
};
