import type { UsageUnit } from './usage.js';

/** So much of what a budget is counted in, for people. */
export function describeAmount(unit: UsageUnit, amount: number): string {
  return unit === 'usd' ? describeUsd(amount) : `${grouped(amount)} ${amount === 1 ? 'token' : 'tokens'}`;
}

/** A sum of money: cents, and of less than a dollar two digits that are not zero. */
export function describeUsd(usd: number): string {
  if (usd === 0) return '$0';
  const magnitude = Math.floor(Math.log10(usd));
  const digits = Math.min(9, Math.max(2, 1 - magnitude));
  const text = usd.toFixed(digits);
  return `$${digits > 2 ? text.replace(/0+$/, '') : text}`;
}

/** A whole number with its digits in groups of three. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
