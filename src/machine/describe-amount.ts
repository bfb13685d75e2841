import type { UsageUnit } from './usage.js';

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
