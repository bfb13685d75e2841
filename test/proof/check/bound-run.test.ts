import { expect, it } from 'vitest';
import { RunBounds } from '../../../src/check/bound/bound-run.js';
import { modelAttempts, stageVisits } from '../../../src/check/bound/quantities.js';
import { longestRun } from '../../../src/check/bound/reached.js';
import { compile } from '../../../src/compiler/compile.js';
import { adversarialRun, type Chance } from '../../check/bound/adversary.js';
import { forkTexts } from '../../lint/flow/random-forks.js';
import { models, textOf } from '../../lint/flow/random-pipelines.js';
import { fc } from '../../support/fast-check.js';

/* Bounds of random pipelines against runs in which everything does the worst that it can: none may exceed a bound. */

const runs = Number(process.env.ATTRACTOR_PROOF_RUNS ?? 60);
const runsEach = 8;
const mostItems = 3;

const limits = fc.record({
  max_steps: fc.integer({ min: 1, max: 14 }),
  max_restarts: fc.integer({ min: 0, max: 2 }),
  max_goal_gate_redirects: fc.integer({ min: 0, max: 3 }),
  default_max_retries: fc.constantFrom(0, 0, 1, 2),
  retry_on_fail: fc.constantFrom('explicit', 'always'),
});

it('145: no run exceeds the bound of its pipeline, and one touches each bound that is said to be reached', async () => {
  const counts = { pipelines: 0, runs: 0, touched: 0, reached: 0, lowered: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(models.map(textOf), forkTexts),
      limits,
      fc.infiniteStream(fc.nat()),
      async (text, given, numbers) => {
        const attributes = Object.entries(given).map(([name, value]) => `${name}=${value}`);
        const dot = text.replace('{\n', `{\ngraph [${attributes.join(', ')}]\n`);
        const compilation = compile(dot, { ruleSettings: new Map() });
        const { program } = compilation;
        if (program === undefined) return;
        counts.pipelines += 1;
        const bounds = new RunBounds({ mostItems });
        const stages = bounds.of(program, stageVisits);
        const attempts = bounds.of(program, modelAttempts);
        if (stages.kind === 'unlimited' || attempts.kind === 'unlimited') throw new Error(`no bound: ${dot}`);
        const chance: Chance = { below: (limit) => (limit === 0 ? 0 : Number(numbers.next().value) % limit) };
        let most = 0;
        let mostAttempts = 0;
        for (let run = 0; run < runsEach; run += 1) {
          const found = adversarialRun(program, chance, mostItems);
          counts.runs += 1;
          most = Math.max(most, found.stages);
          mostAttempts = Math.max(mostAttempts, found.attempts);
          expect({ dot, isOver: found.isOver }).toEqual({ dot, isOver: true });
          if (found.stages > stages.amount || found.attempts > attempts.amount)
            expect({ dot, ...found }).toEqual({
              dot,
              ...found,
              stages: stages.amount,
              attempts: attempts.amount,
            });
        }
        if (most === stages.amount) counts.touched += 1;
        const longest = await longestRun({ ...compilation, program }, stages.amount, 1500);
        if (longest.atMost < stages.amount) counts.lowered += 1;
        // The adversary makes up outcomes itself, so it does not know the rules by which a run would change them.
        if (!/assign|fail_when|writes|reads/.test(dot)) {
          expect({ dot, most }).toEqual({ dot, most: Math.min(most, longest.atMost) });
          const found = { program, stages: longest.atMost };
          const lower = new RunBounds({ mostItems, longest: found }).of(program, modelAttempts);
          const amount = lower.kind === 'limited' ? lower.amount : 0;
          expect({ dot, mostAttempts }).toEqual({ dot, mostAttempts: Math.min(mostAttempts, amount) });
        }
        if (longest.run === undefined) return;
        counts.reached += 1;
        const visits = longest.run.path.filter((id) => id !== program.startId && id !== program.exitId);
        // The stage that would be one too many has not started.
        expect({ dot, visits: visits.length + 1 }).toEqual({ dot, visits: longest.atMost });
      },
    ),
    { numRuns: runs },
  );
  if (process.env.ATTRACTOR_PROOF_RUNS !== undefined) console.log(counts);
  expect(counts.pipelines).toBeGreaterThan(runs / 4);
  expect(counts.touched).toBeGreaterThan(runs / 20);
  expect(counts.reached).toBeGreaterThan(runs / 20);
}, 600_000);
