import type { ModelAddress } from './find-provider.js';
import { reasoningOptions } from './reasoning-options.js';
import type { ProviderOptions } from './request-model.js';

/**
 * Options of a provider for a request.
 * @param warn called with each setting that cannot be passed on
 */
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
      // The provider stores nothing: the conversation must be available in another process, and for another
      // model.
      return { openai: { ...options, store: false } };
    case 'google':
      return { google: options };
    case 'openai-compatible':
      return {};
  }
}
