import type { ModelUse } from '../../machine/progress.js';
import { noUsage, type Usage } from '../../machine/usage.js';
import { countIn, type Fields, recordIn, recordsIn, textIn } from './fields.js';

/**
 * What an agent says of its use of models. Costs come as they grow, as the sum of the session so far; tokens come at the end of
 * a turn. What a message says of how full the context is, is no use.
 */
export class UsageMeter {
  readonly #provider: string;
  readonly #model: string | undefined;
  #costSoFar = 0;
  #hasCosts = false;

  /** @param model the one that was asked for, where the agent does not name it */
  constructor(provider: string, model: string | undefined) {
    this.#provider = provider;
    this.#model = model;
  }

  /** What the session has cost so far, in US dollars; undefined where the agent has not said it. */
  get costSoFar(): number | undefined {
    return this.#hasCosts ? this.#costSoFar : undefined;
  }

  /** A session that was taken up again has cost this before. */
  startAt(costUsd: number): void {
    this.#costSoFar = costUsd;
  }

  /** Of `usage_update`: what has been added to the costs. */
  ofUpdate(update: Fields): readonly ModelUse[] {
    const cost = recordIn(update, 'cost');
    const amount = countIn(cost, 'amount');
    if (amount === undefined || textIn(cost, 'currency')?.toUpperCase() !== 'USD') return [];
    // A session that was taken up again may begin to count afresh.
    const added = amount >= this.#costSoFar ? amount - this.#costSoFar : amount;
    this.#costSoFar = amount;
    this.#hasCosts = true;
    return added === 0 ? [] : [this.#use({ ...noUsage, cost_usd: added })];
  }

  /** Of the answer to `session/prompt`: the tokens of the turn. */
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

  /** What the agent has counted as money already is not priced a second time. */
  #priced(usage: Usage): Usage {
    return this.#hasCosts ? { ...usage, cost_usd: 0 } : usage;
  }

  #use(usage: Usage, model = this.#model): ModelUse {
    return { provider: this.#provider, model: model ?? '', usage };
  }
}

/** In the words of the protocol, where what came from a cache is not in the input; or in those of Gemini CLI. */
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
