import type { ModelAddress } from './find-provider.js';
import { reasoningOptions } from './reasoning-options.js';
import type { ProviderOptions } from './request-model.js';

/** What a provider is told next to the messages. @param warn is told what cannot be passed on */
export function providerOptions(
  address: ModelAddress,
  effort: string,
  warn: (message: string) => void,
): ProviderOptions {
  const { options, warning } = reasoningOptions(address, effort);
  if (warning !== undefined) warn(warning);
  switch (address.kind) {
    case 'anthropic':
      return { anthropic: options };
    case 'openai':
      // Nothing of a conversation stays with the provider: it must be there in another process, and for another model.
      return { openai: { ...options, store: false } };
    case 'google':
      return { google: options };
    case 'openai-compatible':
      return {};
  }
}
