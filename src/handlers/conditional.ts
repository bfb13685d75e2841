import type { Handler } from './handler.js';

/** Diamond (§4.7): does nothing; the machine routes on the incoming outcome. */
export const conditionalHandler: Handler = {
  isTrusted: true,
  execute: ({ node }) => ({ status: 'success', notes: `Conditional node evaluated: ${node.id}` }),
};
