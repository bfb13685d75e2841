import type { LanguageModel } from 'ai';
import type { ModelAddress } from './find-provider.js';
import type { Fetch } from './model-fetch.js';

/** Creates a model of the AI SDK; loads the library of its provider. */
export async function languageModel(address: ModelAddress, fetch: Fetch): Promise<LanguageModel> {
  const { kind, model } = address;
  switch (kind) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...withKey(address), fetch })(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...withKey(address), fetch }).responses(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ ...withKey(address), fetch })(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const { provider, baseUrl = '', apiKey, headers } = address;
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        headers,
        includeUsage: true,
        apiKey,
        fetch,
      })(model);
    }
  }
}

/**
 * Options with a key; without ours, a dummy keeps the library from using one of the environment, which is
 * not meant for this server.
 */
function withKey({ baseUrl, apiKey = 'none', headers }: ModelAddress) {
  return { apiKey, headers, baseURL: baseUrl };
}
