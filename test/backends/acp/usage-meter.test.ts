import { describe, expect, test } from 'vitest';
import { UsageMeter } from '../../../src/backends/acp/usage-meter.js';

const costs = (amount: unknown, currency = 'USD') => ({ cost: { amount, currency } });

describe('what an agent says that its session has cost', () => {
  const rows = [
    { name: 'as it grows', told: [1, 3, 3, 4], added: [1, 2, 1], warnings: 0 },
    { name: 'after a resume, as the sum of all turns', before: 5, told: [6, 8], added: [1, 2], warnings: 0 },
    { name: 'after a resume, counted from zero', before: 5, told: [1, 3], added: [1, 2], warnings: 0 },
    { name: 'as a sum that shrinks', told: [5, 4, 5, 6], added: [5, 1], warnings: 1 },
    { name: 'below zero', told: [1, -3, 2], added: [1, 1], warnings: 1 },
    { name: 'as no amount', told: [1, Number.NaN, '2', null, 2], added: [1, 1], warnings: 3 },
  ];
  test.each(rows)('$name: never less than nothing', ({ before, told, added, warnings }) => {
    const warned: string[] = [];
    const meter = new UsageMeter('acme', 'large', (message) => warned.push(message));
    if (before !== undefined) meter.startAt(before);
    const uses = told.flatMap((amount) => meter.ofUpdate(costs(amount)));
    expect(uses.map(({ usage }) => usage.cost_usd)).toEqual(added);
    expect(warned).toHaveLength(warnings);
  });

  test('in another currency is not counted', () => {
    const meter = new UsageMeter('acme', 'large', () => expect.unreachable());
    expect(meter.ofUpdate(costs(3, 'EUR'))).toEqual([]);
  });

  test('of turns that a loaded session repeats is not counted again', () => {
    const meter = new UsageMeter('acme', 'large', () => expect.unreachable());
    meter.skip(costs(3));
    expect(meter.ofUpdate(costs(4)).map(({ usage }) => usage.cost_usd)).toEqual([1]);
  });
});
