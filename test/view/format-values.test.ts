import { describe, expect, it } from 'vitest';
import { formatAge, formatBytes, formatCount, formatMoney } from '../../src/view/format-values.js';

const second = 1000;
const day = 86_400 * second;

describe('values on the page', () => {
  it.each([
    [0, '$0'],
    [0.000_01, '<$0.0001'],
    [0.0042, '$0.0042'],
    [0.123, '$0.12'],
    [12.3, '$12.30'],
    [1234.6, '$1,235'],
  ])('money: %d is %s', (dollars, text) => expect(formatMoney(dollars)).toBe(text));

  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [12_345, '12.3k'],
    [123_456, '123k'],
    [999_949, '1000k'],
    [999_950, '1M'],
    [4_100_000, '4.1M'],
  ])('counts: %d is %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [2_340_000, '2.3 MB'],
  ])('sizes: %d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [-3 * second, 'now'],
    [0, 'now'],
    [5 * second, '5 s ago'],
    [61 * second, '1 min ago'],
    [2 * 3600 * second, '2 h ago'],
    [day, '1 day ago'],
    [3 * day, '3 days ago'],
  ])('ages: %d is %s', (milliseconds, text) => expect(formatAge(milliseconds)).toBe(text));
});
