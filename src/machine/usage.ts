/** Model usage as the provider counts it; tokens are whole numbers. */
export interface Usage {
  /** Number of requests. */
  readonly requests: number;
  /** Tokens sent, cached ones included. */
  readonly input_tokens: number;
  /** Tokens received, those of the reasoning included. */
  readonly output_tokens: number;
  /** Part of the input that the provider had cached. */
  readonly cached_input_tokens?: number;
  /** Part of the input that the provider wrote to its cache. */
  readonly cache_write_tokens?: number;
  /** Part of the output that was reasoning. */
  readonly reasoning_tokens?: number;
  /** Cost in US dollars; unset if no price is known. */
  readonly cost_usd?: number;
}

export const noUsage: Usage = { requests: 0, input_tokens: 0, output_tokens: 0 };

/** Tokens that count against a budget: input and output. */
export function tokensOf({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}

/** Units of a budget. */
export type UsageUnit = 'usd' | 'tokens';

/** Amount of a use in a unit; a use without a price costs 0 US dollars. */
export function amountOf(unit: UsageUnit, usage: Usage): number {
  return unit === 'usd' ? (usage.cost_usd ?? 0) : tokensOf(usage);
}

/** Sum of two uses; unknown values count as 0. */
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

/** Part of one use beyond another, in the units of budgets. */
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

/** Amount of a budget's unit, for people. */
export function describeAmount(unit: UsageUnit, amount: number): string {
  return unit === 'usd' ? describeUsd(amount) : `${grouped(amount)} ${amount === 1 ? 'token' : 'tokens'}`;
}

/** Sum of money: cents, and below a dollar two significant digits. */
export function describeUsd(usd: number): string {
  if (usd === 0) return '$0';
  const magnitude = Math.floor(Math.log10(usd));
  const digits = Math.min(9, Math.max(2, 1 - magnitude));
  const text = usd.toFixed(digits);
  return `$${digits > 2 ? text.replace(/0+$/, '') : text}`;
}

/** Whole number with its digits in groups of three. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
