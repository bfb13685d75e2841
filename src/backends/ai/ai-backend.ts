import type { BackendDefinition } from '../backend.js';
import { findProvider, providerNameOf } from './find-provider.js';
import { requestsOfAttempt } from './request-limits.js';

/**
 * Models of Anthropic, OpenAI, Google and OpenAI-compatible servers, called directly, with tools of our own
 * (§4.5).
 */
export const aiBackend: BackendDefinition = {
  name: 'ai',
  summary: 'models of Anthropic, OpenAI, Google, and of any OpenAI-compatible server',
  accepts(model, environment) {
    if (model.provider === undefined && model.model === undefined) return undefined;
    const reading = findProvider(model, environment);
    switch (reading.kind) {
      case 'found':
        return { kind: 'ready' };
      case 'lacks':
        return { kind: 'lacks', problem: reading.problem };
      case 'unknown':
        return undefined;
    }
  },
  problemWith(model, environment) {
    const reading = findProvider(model, environment);
    return reading.kind === 'found' ? undefined : reading.problem;
  },
  providerOf: providerNameOf,
  mostRequests: ({ ai = {} }, fallbacks) => requestsOfAttempt(ai, fallbacks),
  async create(environment) {
    // They load the libraries.
    const { createAiBackend } = await import('./create-ai-backend.js');
    const { systemPorts } = await import('./ai-ports.js');
    return createAiBackend(environment, systemPorts(environment.variables));
  },
};
