import { simulatedReply } from '../handlers/codergen.js';
import { simulatedProvider } from '../handlers/simulated-provider.js';
import type { BackendDefinition } from './backend.js';

/** The provider `simulated` (SEMANTICS 120): answers every prompt with a fixed text, and calls no model. */
export const simulateBackend: BackendDefinition = {
  name: 'simulate',
  isFree: true,
  summary: 'no model: every stage gets a fixed answer and is marked as simulated',
  accepts: ({ provider }) => (provider === simulatedProvider ? { kind: 'ready' } : undefined),
  problemWith: () => undefined,
  mostRequests: () => 0,
  create: async () => ({ readsFiles: () => true, run: async (node) => simulatedReply(node) }),
};
