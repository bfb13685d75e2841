import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { buildProgram } from '../../../src/graph/program.js';
import { claimsOf } from '../../lint/flow/claims.js';
import { factsByMachine } from '../../lint/flow/machine-explorer.js';
import { forkTexts } from '../../lint/flow/random-forks.js';
import { isShown } from '../../lint/flow/replays.js';
import { fc, runsOf } from '../../support/fast-check.js';

const numRuns = runsOf({ quick: 500, thorough: 500 });

describe('what lint claims about runs with branches, lists, restarts and declared values', () => {
  test(
    'is what the machine itself does, and each run that it shows can be replayed',
    async () => {
      let [claimed, shown] = [0, 0];
      await fc.assert(
        fc.asyncProperty(forkTexts, async (text) => {
          const compilation = compile(text);
          const { graph, program, diagnostics } = compilation;
          const facts = await factsByMachine(buildProgram(graph, knownHandlerTypes()));
          // A finding without a proof says so.
          const proved = diagnostics.filter(({ unproved }) => unproved !== true);
          for (const { rule, message, isTrue } of facts === undefined ? [] : claimsOf(proved, facts)) {
            claimed += 1;
            expect(isTrue, `${rule}: ${message}\n${text}`).toBe(true);
          }
          if (program === undefined) return;
          for (const finding of diagnostics.filter(({ witness }) => witness !== undefined)) {
            shown += 1;
            expect(
              await isShown(compilation, finding),
              `${finding.rule}: ${finding.message}\n${JSON.stringify(finding.witness)}\n${text}`,
            ).toBe(true);
          }
        }),
        { numRuns },
      );
      expect(claimed).toBeGreaterThan(numRuns / 4);
      expect(shown).toBeGreaterThan(numRuns / 4);
    },
    numRuns * 5000,
  );
});
