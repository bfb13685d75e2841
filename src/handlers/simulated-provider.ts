import { simulatedReply } from './codergen.js';
import type { CodergenBackend } from './codergen-backend.js';

/** The `llm_provider` of simulated stages (SEMANTICS 120). */
export const simulatedProvider = 'simulated';

/** Backend that is not called for stages whose provider is `simulated`. */
export function withSimulatedProvider(backend: CodergenBackend): CodergenBackend {
  return {
    readsFiles: (node, call) =>
      call.model.provider === simulatedProvider || (backend.readsFiles?.(node, call) ?? false),
    async run(node, prompt, context, call) {
      if (call.model.provider === simulatedProvider) return simulatedReply(node);
      return backend.run(node, prompt, context, call);
    },
  };
}
