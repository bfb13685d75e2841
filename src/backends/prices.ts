import type { CodergenBackend } from '../handlers/codergen-backend.js';
import type { Progress } from '../machine/progress.js';
import type { Usage } from '../machine/usage.js';
import type { ClosableBackend } from './backend.js';
import { knownPrices } from './known-prices.js';
import type { PriceSettings } from './settings.js';

/** US dollars for a million tokens; without separate prices, cached tokens cost as much as other input. */
export type Price = PriceSettings;

/** Prices by the name of the model, or by `<provider>/<model>`. */
export type Prices = ReadonlyMap<string, Price>;

/** Model whose price is wanted; the provider may be unknown. */
interface Model {
  readonly provider?: string;
  readonly model: string;
}

const noPrices: Prices = new Map();

/** Price of a model: the configured one, else the known one; undefined if neither exists. */
export function priceOf(model: Model, own: Prices = noPrices): Price | undefined {
  return priceIn(own, model) ?? priceIn(knownPrices, model);
}

function priceIn(prices: Prices, { provider, model }: Model): Price | undefined {
  const names = provider ? [`${provider}/${model}`, model] : [model];
  for (const name of names) {
    const price = prices.get(name) ?? prices.get(longestUndated(prices, name) ?? '');
    if (price !== undefined) return price;
  }
  return undefined;
}

/**
 * Suffix of a model name that does not change the price: a date, a revision, and words for the latest one.
 * Any other ending, as in `gpt-4o-mini`, is another model with another price.
 */
const variant =
  /^(?:[-@](?:latest|preview|exp|v[0-9]+(?::[0-9]+)?|[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}-[0-9]{2,4}|[0-9]{3}))+$/;

function longestUndated(prices: Prices, name: string): string | undefined {
  let longest: string | undefined;
  for (const known of prices.keys()) {
    if (known.length <= (longest?.length ?? 0) || !name.startsWith(known)) continue;
    if (variant.test(name.slice(known.length))) longest = known;
  }
  return longest;
}

const million = 1_000_000;

/** Cost of a use in US dollars. Cached tokens are part of the input, and have a separate price. */
export function costOf(
  { input_tokens, output_tokens, cached_input_tokens = 0, cache_write_tokens = 0 }: Usage,
  { input, output, cached_input = input, cache_write = input }: Price,
): number {
  const fresh = Math.max(0, input_tokens - cached_input_tokens - cache_write_tokens);
  const sum =
    fresh * input +
    cached_input_tokens * cached_input +
    cache_write_tokens * cache_write +
    output_tokens * output;
  return sum / million;
}

/**
 * Adds costs to a backend's uses of models if a price is known and the backend reports no cost (SEMANTICS
 * §12).
 */
export function withPrices(
  backend: CodergenBackend & Pick<ClosableBackend, 'close'>,
  own: Prices,
): ClosableBackend {
  const { providerOf } = backend;
  return {
    readsFiles: (node, call) => backend.readsFiles?.(node, call) ?? false,
    run: (node, prompt, context, call) =>
      backend.run(node, prompt, context, {
        ...call,
        report: (progress) => call.report(priced(progress, own)),
      }),
    mayCost: (model) => backend.mayCost?.(model) ?? true,
    providerOf: providerOf && ((call) => providerOf.call(backend, call)),
    close: () => backend.close?.(),
  };
}

function priced(progress: Progress, own: Prices): Progress {
  if (progress.kind !== 'model_used' || progress.usage.cost_usd !== undefined) return progress;
  const price = priceOf(progress, own);
  if (price === undefined) return progress;
  return { ...progress, usage: { ...progress.usage, cost_usd: costOf(progress.usage, price) } };
}
