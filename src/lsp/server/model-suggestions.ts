import type { Suggestion } from '../services/completion/suggestion.js';

/** Models with a known price, for completion and hovering. */
export async function modelSuggestions(): Promise<readonly Suggestion[]> {
  const { knownPrices } = await import('../../backends/known-prices.js');
  return [...knownPrices].map(([label, { input, output }]) => ({
    label,
    kind: 'model',
    detail: `$${input} in, $${output} out`,
    info: `Costs $${input} for a million input tokens, $${output} for a million output tokens.`,
  }));
}
