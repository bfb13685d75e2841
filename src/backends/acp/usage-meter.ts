import type { ModelUse } from '../../machine/progress.js';
import { describeUsd, noUsage, type Usage } from '../../machine/usage.js';
import { countIn, type Fields, recordIn, recordsIn, textIn } from './fields.js';

/**
 * Meter of the model usage that an agent reports. Costs come as they grow, as the sum of the session so
 * far; tokens come at the end of a turn. The fill level of the context is not used.
 */
export class UsageMeter {
  readonly #provider: string;
  readonly #model: string | undefined;
  readonly #warn: (message: string) => void;
  #costSoFar = 0;
  #hasCosts = false;
  /** True once this turn has had costs of its own. */
  #isCounting = false;

  /**
   * @param model that was asked for, if the agent does not name one
   * @param warn called with a problem of the figures
   */
  constructor(provider: string, model: string | undefined, warn: (message: string) => void) {
    this.#provider = provider;
    this.#model = model;
    this.#warn = warn;
  }

  /** Costs of the session so far, in US dollars; undefined if the agent has not reported any. */
  get costSoFar(): number | undefined {
    return this.#hasCosts ? this.#costSoFar : undefined;
  }

  /** Sets the costs of a resumed session so far. */
  startAt(costUsd: number): void {
    this.#costSoFar = costUsd;
  }

  /** Costs added by a `usage_update`; none by one that shrinks, or that is not an amount. */
  ofUpdate(update: Fields): readonly ModelUse[] {
    const amount = this.#amountIn(update);
    if (amount === undefined) return [];
    const isLess = amount < this.#costSoFar;
    if (isLess && this.#isCounting) {
      this.#warn(
        `reported costs that shrink, from ${describeUsd(this.#costSoFar)} to ${describeUsd(amount)}; nothing is subtracted`,
      );
      return [];
    }
    // A resumed session may restart its count.
    const added = isLess ? amount : amount - this.#costSoFar;
    this.#costSoFar = amount;
    this.#hasCosts = true;
    this.#isCounting = true;
    return added === 0 ? [] : [this.#use({ ...noUsage, cost_usd: added })];
  }

  /** Costs of turns before this one, which a session repeats when it is loaded. */
  skip(update: Fields): void {
    const amount = this.#amountIn(update);
    if (amount === undefined) return;
    this.#costSoFar = amount;
    this.#hasCosts = true;
  }

  /** Amount in US dollars. */
  #amountIn(update: Fields): number | undefined {
    const cost = recordIn(update, 'cost');
    if (textIn(cost, 'currency')?.toUpperCase() !== 'USD') return undefined;
    const amount = countIn(cost, 'amount');
    if (amount === undefined)
      this.#warn(`reported a cost that cannot be counted: ${JSON.stringify(cost.amount) ?? 'none'}`);
    return amount;
  }

  /** Tokens of the turn, from the answer to `session/prompt`. */
  ofTurn(response: unknown): readonly ModelUse[] {
    const quota = recordsIn(recordIn(recordIn(response, '_meta'), 'quota'), 'model_usage');
    const named = quota.map((one) => textIn(one, 'model')).find((name) => name !== undefined);
    const whole = tokensOf(recordIn(response, 'usage'));
    if (whole !== undefined) return [this.#use(this.#priced(whole), named)];
    return quota.flatMap((one) => {
      const usage = tokensOf(recordIn(one, 'token_count'));
      return usage === undefined ? [] : [this.#use(this.#priced(usage), textIn(one, 'model'))];
    });
  }

  /** Usage without a further price if the agent has reported costs. */
  #priced(usage: Usage): Usage {
    return this.#hasCosts ? { ...usage, cost_usd: 0 } : usage;
  }

  #use(usage: Usage, model = this.#model): ModelUse {
    return { provider: this.#provider, model: model ?? '', usage };
  }
}

/**
 * Token counts in the format of the protocol, whose input excludes cached tokens, or in that of Gemini CLI.
 */
function tokensOf(count: Fields): Usage | undefined {
  const input = countIn(count, 'inputTokens') ?? countIn(count, 'input_tokens');
  const output = countIn(count, 'outputTokens') ?? countIn(count, 'output_tokens');
  if (input === undefined || output === undefined) return undefined;
  const cached = countIn(count, 'cachedReadTokens');
  const written = countIn(count, 'cachedWriteTokens');
  const thought = countIn(count, 'thoughtTokens');
  return {
    requests: 1,
    input_tokens: input + (cached ?? 0) + (written ?? 0),
    output_tokens: output,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens: thought,
  };
}
