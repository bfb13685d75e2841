import { z } from 'zod';

/** A whole number in a query, which is text. */
export function wholeNumber(least: number, most: number) {
  const expected = `expected a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number)
    .pipe(z.number().min(least, expected).max(most, expected));
}
