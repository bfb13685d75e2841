import type { PriceSettings } from './settings.js';

/**
 * Prices of well-known models, in US dollars for a million tokens: input, output, input from the provider's
 * cache, and input written to it. Prices change, and some providers charge more for very long prompts:
 * `prices` in the configuration overrides this table (SEMANTICS §12).
 */
export const knownPrices: ReadonlyMap<string, PriceSettings> = new Map([
  row('claude-opus-4-6', 5, 25, 0.5, 6.25),
  row('claude-opus-4-5', 5, 25, 0.5, 6.25),
  row('claude-opus-4-1', 15, 75, 1.5, 18.75),
  row('claude-opus-4-0', 15, 75, 1.5, 18.75),
  row('claude-opus-4', 15, 75, 1.5, 18.75),
  row('claude-3-opus', 15, 75, 1.5, 18.75),
  row('claude-sonnet-4-6', 3, 15, 0.3, 3.75),
  row('claude-sonnet-4-5', 3, 15, 0.3, 3.75),
  row('claude-sonnet-4-0', 3, 15, 0.3, 3.75),
  row('claude-sonnet-4', 3, 15, 0.3, 3.75),
  row('claude-3-7-sonnet', 3, 15, 0.3, 3.75),
  row('claude-3-5-sonnet', 3, 15, 0.3, 3.75),
  row('claude-haiku-4-5', 1, 5, 0.1, 1.25),
  row('claude-3-5-haiku', 0.8, 4, 0.08, 1),
  row('claude-3-haiku', 0.25, 1.25, 0.03, 0.3),
  row('gpt-5.2', 1.75, 14, 0.175),
  row('gpt-5.2-codex', 1.75, 14, 0.175),
  row('gpt-5.1', 1.25, 10, 0.125),
  row('gpt-5.1-codex', 1.25, 10, 0.125),
  row('gpt-5.1-codex-max', 1.25, 10, 0.125),
  row('gpt-5.1-codex-mini', 0.25, 2, 0.025),
  row('gpt-5', 1.25, 10, 0.125),
  row('gpt-5-codex', 1.25, 10, 0.125),
  row('gpt-5-mini', 0.25, 2, 0.025),
  row('gpt-5-nano', 0.05, 0.4, 0.005),
  row('gpt-5-pro', 15, 120),
  row('gpt-4.1', 2, 8, 0.5),
  row('gpt-4.1-mini', 0.4, 1.6, 0.1),
  row('gpt-4.1-nano', 0.1, 0.4, 0.025),
  row('gpt-4o', 2.5, 10, 1.25),
  row('gpt-4o-mini', 0.15, 0.6, 0.075),
  row('o1', 15, 60, 7.5),
  row('o3', 2, 8, 0.5),
  row('o3-mini', 1.1, 4.4, 0.55),
  row('o4-mini', 1.1, 4.4, 0.275),
  row('codex-mini', 1.5, 6, 0.375),
  row('gemini-3-pro', 2, 12, 0.2),
  row('gemini-3-flash', 0.5, 3, 0.05),
  row('gemini-2.5-pro', 1.25, 10, 0.125),
  row('gemini-2.5-flash', 0.3, 2.5, 0.03),
  row('gemini-2.5-flash-lite', 0.1, 0.4, 0.01),
  row('gemini-2.0-flash', 0.1, 0.4, 0.025),
  row('gemini-2.0-flash-lite', 0.075, 0.3),
]);

function row(
  model: string,
  input: number,
  output: number,
  cached?: number,
  cacheWrite?: number,
): [string, PriceSettings] {
  const price = {
    input,
    output,
    cached_input: cached,
    cache_write: cacheWrite,
  };
  return [model, price];
}
