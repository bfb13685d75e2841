import type { LanguageModelUsage } from 'ai';
import type { Usage } from '../../machine/usage.js';

/** Usage of one request, as its provider counts it; undefined if it does not. */
export function usageOf(usage: LanguageModelUsage): Usage | undefined {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  const { reasoningTokens } = outputTokenDetails;
  return {
    requests: 1,
    input_tokens: inputTokens ?? 0,
    output_tokens: outputTokens ?? 0,
    cached_input_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    reasoning_tokens: reasoningTokens,
  };
}
