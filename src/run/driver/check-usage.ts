import { foundText } from '../../graph/values/found-text.js';
import type { Usage } from '../../machine/usage.js';

const counts = [
  'requests',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const satisfies readonly (keyof Usage)[];

const required: ReadonlySet<string> = new Set(['requests', 'input_tokens', 'output_tokens']);

/**
 * Checks that usage consists of valid numbers: a journal with others could not be read again, and no budget
 * would work (SEMANTICS §12).
 * @throws TypeError for a backend that reports something else
 */
export function checkUsage(usage: Usage): void {
  for (const key of counts) {
    const count = usage[key];
    if (count === undefined && !required.has(key)) continue;
    if (!Number.isSafeInteger(count) || Number(count) < 0) throw unusable(key, count, 'a whole number');
  }
  const { cost_usd: cost } = usage;
  if (cost === undefined) return;
  if (!Number.isFinite(cost) || cost < 0) throw unusable('cost_usd', cost, 'a number');
}

function unusable(key: string, found: unknown, expected: string): TypeError {
  const shown = typeof found === 'number' ? String(found) : foundText(found);
  return new TypeError(
    `the backend reported a model usage that cannot be counted: \`${key}\` is ${shown}, but it must be ${expected} of at least 0`,
  );
}
