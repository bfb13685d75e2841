import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { buildProgram } from '../../../src/graph/program.js';
import { claimsOf } from '../../lint/flow/claims.js';
import { factsByMachine } from '../../lint/flow/machine-explorer.js';
import { branchTexts, forkTexts } from '../../lint/flow/random-forks.js';
import { isShown } from '../../lint/flow/replays.js';
import { fc, runsOf } from '../../support/fast-check.js';

const numRuns = runsOf(250);

describe('what lint claims about runs with branches, lists, restarts and declared values', () => {
  test.each([
    { name: 'of any kind', texts: forkTexts, rules: [] },
    {
      name: 'around one small parallel node',
      texts: branchTexts,
      rules: ['branch_failure_ignored', 'branch_leads_back'],
    },
  ])(
    '$name is what the machine itself does, and each run that it shows can be replayed',
    async ({ texts, rules }) => {
      const ofRule = new Map<string, number>();
      let [claimed, shown] = [0, 0];
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          const compilation = compile(text);
          const { graph, program, diagnostics } = compilation;
          const facts = await factsByMachine(buildProgram(graph, knownHandlerTypes()));
          // A finding without a proof says so.
          const proved = diagnostics.filter(({ unproved }) => unproved !== true);
          for (const { rule, message, isTrue } of facts === undefined ? [] : claimsOf(proved, facts)) {
            claimed += 1;
            ofRule.set(rule, (ofRule.get(rule) ?? 0) + 1);
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
      for (const rule of rules) expect(ofRule.get(rule) ?? 0, rule).toBeGreaterThan(numRuns / 10);
      expect(claimed).toBeGreaterThan(numRuns / 4);
      expect(shown).toBeGreaterThan(numRuns / 15);
    },
    numRuns * 5000,
  );
});
