import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { fc, runsOf } from '../support/fast-check.js';
import { claimsOf } from './flow/claims.js';
import { models, textOf } from './flow/random-pipelines.js';
import { factsOf } from './flow/reference.js';
import { isShown } from './flow/replays.js';

const numRuns = runsOf({ quick: 16, thorough: 500 });
/** In milliseconds for one pipeline, of which most take a fiftieth. */
const longest = 3000;

describe('what lint claims about runs (18–22, 32, 34)', () => {
  test(
    'is true by the reference, which counts all states, and each run that it shows can be replayed',
    async () => {
      const claimed = new Map<string, number>();
      let shown = 0;
      await fc.assert(
        fc.asyncProperty(models, async (model) => {
          const facts = factsOf(model);
          if (facts === undefined) return;
          const text = textOf(model);
          const compilation = compile(text);
          // A finding without a proof says so.
          const proved = compilation.diagnostics.filter(({ unproved }) => unproved !== true);
          for (const { rule, message, isTrue } of claimsOf(proved, facts)) {
            claimed.set(rule, (claimed.get(rule) ?? 0) + 1);
            expect(isTrue, `${rule}: ${message}\n${text}`).toBe(true);
          }
          if (compilation.program === undefined) return;
          for (const finding of compilation.diagnostics.filter(({ witness }) => witness !== undefined)) {
            shown += 1;
            expect(
              await isShown(compilation, finding),
              `${finding.rule}: ${finding.message}\n${JSON.stringify(finding.witness)}\n${text}`,
            ).toBe(true);
          }
        }),
        { numRuns },
      );
      // In a hundred pipelines there are some forty of the rarest but one.
      for (const rule of [
        'condition_exhaustive',
        'dead_edge',
        'reachability',
        'read_before_write',
        'unbounded_loop',
      ])
        expect(claimed.get(rule) ?? 0, rule).toBeGreaterThan(numRuns / 40);
      expect(shown).toBeGreaterThan(numRuns / 10);
    },
    numRuns * longest,
  );
});
