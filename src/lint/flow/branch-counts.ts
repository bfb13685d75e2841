import type { Fork } from './flow-forks.js';
import type { FlowKeys } from './flow-keys.js';

/** Keys that count the branches at a join. */
const countKeys = ['parallel.count', 'parallel.success_count', 'parallel.fail_count'] as const;

/** Values of such keys together, by key. */
type Counts = readonly (readonly [key: string, value: number])[];

/** True for lists of which two items show all that conditions ask about the number of branches. */
export function areTwoEnough({ values }: FlowKeys): boolean {
  return countKeys.every((key) => (values.get(key) ?? []).every((value) => Number(value) < 2));
}

/** All values that the followed counts can have where the branches of a parallel node meet, whatever these do. */
export function possibleCounts({ edges, parallel }: Fork, { values }: FlowKeys): readonly Counts[] {
  const followed = countKeys.filter((key) => values.has(key));
  if (followed.length === 0) return [[]];
  const ignoresFailures = parallel.errorPolicy === 'ignore';
  const all: Counts[] =
    parallel.foreach === undefined
      ? ofEdges(edges.length, ignoresFailures)
      : ofItems(values, ignoresFailures);
  const kept = all.map((counts) => counts.filter(([key]) => values.has(key)));
  return [...new Map(kept.map((counts) => [JSON.stringify(counts), counts])).values()];
}

function ofEdges(most: number, ignoresFailures: boolean): Counts[] {
  const upTo = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, count) => count);
  return upTo(most).flatMap((failures) =>
    upTo(most - failures).map((successes) => countsOf(most, successes, failures, ignoresFailures)),
  );
}

function countsOf(count: number, successes: number, failures: number, ignoresFailures: boolean): Counts {
  return [
    ['parallel.count', ignoresFailures ? count - failures : count],
    ['parallel.success_count', successes],
    ['parallel.fail_count', ignoresFailures ? 0 : failures],
  ];
}

/** Counts for a list of any length: those next to the numbers in conditions, as no condition tells the others apart. */
function ofItems(values: FlowKeys['values'], ignoresFailures: boolean): Counts[] {
  let all: Counts[] = [[]];
  for (const key of countKeys) {
    if (!values.has(key)) continue;
    const isZero = key === 'parallel.fail_count' && ignoresFailures;
    const numbers = isZero ? [0] : nearNumbers(values.get(key) ?? []);
    all = all.flatMap((counts) => numbers.map((number): Counts => [...counts, [key, number]]));
  }
  return all;
}

function nearNumbers(mentioned: readonly unknown[]): readonly number[] {
  const numbers = mentioned.map(Number).filter(Number.isFinite);
  const near = numbers.flatMap((number) => [Math.floor(number), Math.ceil(number)]);
  const all = near.flatMap((number) => [number - 1, number, number + 1]);
  return [...new Set([0, 1, 2, ...all])].filter((number) => number >= 0);
}
