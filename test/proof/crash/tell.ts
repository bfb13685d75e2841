import type { TestContext } from 'vitest';

/** What a test of the crash proof has tried, for the table of the long form (`bench/crash.mjs`). */
export function tell({ task }: TestContext, counts: Readonly<Record<string, number>>): void {
  Object.assign(task.meta, { crashProof: counts });
}
