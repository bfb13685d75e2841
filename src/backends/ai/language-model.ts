import type { LanguageModel } from 'ai';
import type { ModelAddress } from './find-provider.js';

/** A model as the AI SDK calls it; the library of its provider loads now. */
export async function languageModel(address: ModelAddress): Promise<LanguageModel> {
  const { kind, model } = address;
  switch (kind) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(withKey(address))(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(withKey(address)).responses(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(withKey(address))(model);
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
      })(model);
    }
  }
}

/** Without a key of ours, none must be taken from the environment: it belongs to somebody else. */
function withKey({ baseUrl, apiKey = 'none', headers }: ModelAddress) {
  return { apiKey, headers, baseURL: baseUrl };
}
