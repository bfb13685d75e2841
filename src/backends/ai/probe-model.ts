import { type ModelAddress, serverOf } from './find-provider.js';
import { languageModel } from './language-model.js';
import { type Fetch, patientConnections, watchedFetch } from './model-fetch.js';
import { requestModel } from './request-model.js';

/**
 * Asks a model for the shortest answer that its provider gives, to see if key and model work.
 * @throws RequestError with the reason if the provider refuses
 */
export async function probeModel(address: ModelAddress, signal: AbortSignal): Promise<void> {
  const { fetch, close } = patientConnections(process.env);
  try {
    await ask(
      address,
      watchedFetch(fetch, { onBytes: () => undefined, onUsageProblems: () => undefined }),
      signal,
    );
  } finally {
    await close();
  }
}

async function ask(address: ModelAddress, fetch: Fetch, signal: AbortSignal): Promise<void> {
  await requestModel({
    model: await languageModel(address, fetch),
    server: serverOf(address),
    system: 'Answer with one word.',
    messages: [{ role: 'user', content: 'Ready?' }],
    tools: [],
    providerOptions: {},
    // The Responses API refuses fewer.
    maxOutputTokens: address.kind === 'openai' ? 16 : 1,
    signal,
    onText: () => undefined,
    onWarning: () => undefined,
    onUsage: () => undefined,
  });
}
