/** What requests to a model have used, as its provider counts it; tokens are whole numbers. */
export interface Usage {
  /** How many requests there were. */
  readonly requests: number;
  /** Tokens of what was sent, those from a cache included. */
  readonly input_tokens: number;
  /** Tokens of what came back, those of its reasoning included. */
  readonly output_tokens: number;
  /** Of the input: what the provider had kept from before. */
  readonly cached_input_tokens?: number;
  /** Of the input: what the provider has put into its cache. */
  readonly cache_write_tokens?: number;
  /** Of the output: what the model spent on thinking. */
  readonly reasoning_tokens?: number;
  /** In US dollars; unset where no price is known. */
  readonly cost_usd?: number;
}

export const noUsage: Usage = { requests: 0, input_tokens: 0, output_tokens: 0 };

/** What a budget of tokens is held against: all that went in and came out. */
export function tokensOf({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}

/** What a use of models can be counted in. */
export type UsageUnit = 'usd' | 'tokens';

/** How much that is; what has no price costs nothing that could be counted. */
export function amountOf(unit: UsageUnit, usage: Usage): number {
  return unit === 'usd' ? (usage.cost_usd ?? 0) : tokensOf(usage);
}

/** The sum; what one of them does not know counts as nothing. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    requests: one.requests + other.requests,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
  };
  for (const key of optionalCounts) {
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  }
  return sum;
}

/** How much of a use goes beyond another one, in what budgets count. */
export function usageBeyond(one: Usage, other: Usage): Usage {
  const beyond = (more = 0, less = 0): number => Math.max(0, more - less);
  return {
    requests: beyond(one.requests, other.requests),
    input_tokens: beyond(one.input_tokens, other.input_tokens),
    output_tokens: beyond(one.output_tokens, other.output_tokens),
    cost_usd: one.cost_usd === undefined ? undefined : beyond(one.cost_usd, other.cost_usd),
  };
}

const optionalCounts = [
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost_usd',
] as const satisfies readonly (keyof Usage)[];
