import { describe, expect, test } from 'vitest';
import { costOf, type Price, priceOf, withPrices } from '../../src/backends/prices.js';
import type { BackendCall } from '../../src/handlers/codergen-backend.js';
import type { Progress } from '../../src/machine/progress.js';
import type { Usage } from '../../src/machine/usage.js';
import { testEach } from '../run/harness.js';

describe('the price of a model', () => {
  const rows = [
    { name: 'by its exact name', model: 'gpt-4o', as: 'gpt-4o' },
    { name: 'with a date', model: 'gpt-4o-2024-08-06', as: 'gpt-4o' },
    { name: 'with a date in one', model: 'claude-sonnet-4-5-20250929', as: 'claude-sonnet-4-5' },
    { name: 'with a date after another sign', model: 'claude-sonnet-4-5@20250929', as: 'claude-sonnet-4-5' },
    { name: 'of a smaller sister with a date', model: 'gpt-4o-mini-2024-07-18', as: 'gpt-4o-mini' },
    { name: 'of the latest one', model: 'claude-3-5-haiku-latest', as: 'claude-3-5-haiku' },
    { name: 'of a preview with a date', model: 'gemini-2.5-pro-preview-06-05', as: 'gemini-2.5-pro' },
    { name: 'of a revision', model: 'gemini-2.0-flash-001', as: 'gemini-2.0-flash' },
    { name: 'not of a sister that is not known', model: 'gpt-4o-realtime', as: undefined },
    { name: 'not of a later version', model: 'claude-opus-4-99', as: undefined },
    { name: 'not of a name that only begins the same', model: 'o3x', as: undefined },
    { name: 'not of the beginning of a name', model: 'claude', as: undefined },
    { name: 'not of no name', model: '', as: undefined },
    { name: 'not of what objects have of their own', model: 'constructor', as: undefined },
  ];
  testEach(rows, ({ model, as }) => {
    const expected = as === undefined ? undefined : priceOf({ model: as });
    if (as !== undefined) expect(expected).toBeDefined();
    expect(priceOf({ model })).toBe(expected);
  });

  const own = new Map<string, Price>([
    ['gpt-4o', { input: 7, output: 8 }],
    ['local', { input: 0, output: 0 }],
    ['cheap/local', { input: 1, output: 1 }],
  ]);
  test('is what the configuration says before anything else', () => {
    expect(priceOf({ model: 'gpt-4o' }, own)).toEqual({ input: 7, output: 8 });
    expect(priceOf({ model: 'gpt-4o-2024-08-06' }, own)).toEqual({ input: 7, output: 8 });
    expect(priceOf({ model: 'gpt-4o-mini' }, own)).toBe(priceOf({ model: 'gpt-4o-mini' }));
    expect(priceOf({ provider: 'home', model: 'local' }, own)).toEqual({ input: 0, output: 0 });
    expect(priceOf({ provider: 'cheap', model: 'local' }, own)).toEqual({ input: 1, output: 1 });
  });
});

describe('the cost of a use', () => {
  const used = (more: Partial<Usage> = {}): Usage => ({
    requests: 1,
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    ...more,
  });
  const price: Price = { input: 2, output: 10, cached_input: 0.5, cache_write: 3 };
  const rows: readonly { name: string; usage: Usage; price: Price; cost: number }[] = [
    { name: 'input and output', usage: used(), price, cost: 3 },
    { name: 'cached input once', usage: used({ cached_input_tokens: 400_000 }), price, cost: 1.2 + 0.2 + 1 },
    {
      name: 'what is put into the cache',
      usage: used({ cache_write_tokens: 500_000 }),
      price,
      cost: 1 + 1.5 + 1,
    },
    {
      name: 'both',
      usage: used({ cached_input_tokens: 400_000, cache_write_tokens: 600_000 }),
      price,
      cost: 0.2 + 1.8 + 1,
    },
    {
      name: 'cached input without a price of its own',
      usage: used({ cached_input_tokens: 400_000 }),
      price: { input: 2, output: 10 },
      cost: 3,
    },
    {
      name: 'more that was cached than came in',
      usage: used({ cached_input_tokens: 2_000_000 }),
      price,
      cost: 1 + 1,
    },
    { name: 'thinking is output already', usage: used({ reasoning_tokens: 50_000 }), price, cost: 3 },
  ];
  testEach(rows, ({ usage, price: of, cost }) => expect(costOf(usage, of)).toBeCloseTo(cost, 9));
});

describe('a backend with prices', () => {
  const reports = async (...progress: readonly Progress[]): Promise<readonly Progress[]> => {
    const told: Progress[] = [];
    const backend = withPrices(
      {
        async run(_node, _prompt, _context, call) {
          for (const one of progress) call.report(one);
          return 'done';
        },
      },
      new Map([['mine', { input: 1, output: 2 }]]),
    );
    const call = { report: (one: Progress) => void told.push(one) } as unknown as BackendCall;
    const nothing = undefined as never;
    expect(await backend.run(nothing, '', nothing, call)).toBe('done');
    return told;
  };
  const usage: Usage = { requests: 1, input_tokens: 1000, output_tokens: 500 };
  const of = (model: string, more: Partial<Usage> = {}): Progress => ({
    kind: 'model_used',
    provider: 'p',
    model,
    usage: { ...usage, ...more },
  });

  test('tells what a use costs, unless the backend does, or nobody knows', async () => {
    const text: Progress = { kind: 'text', channel: 'response', text: 'mine' };
    const told = await reports(of('mine'), of('mine', { cost_usd: 5 }), of('unheard-of'), text);
    expect(told).toEqual([
      of('mine', { cost_usd: 0.002 }),
      of('mine', { cost_usd: 5 }),
      of('unheard-of'),
      text,
    ]);
  });
});
