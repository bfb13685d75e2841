import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor, directoryWith } from './attractor.js';

/** Four requests for each visit, at the price of the built-in table: $7.50 for a visit. */
const plugin = `export default { name: 'greedy', backends: [{ name: 'greedy', create: () => ({
  async run(node, prompt, context, call) {
    for (let request = 0; request < 4; request += 1) {
      call.checkBudget();
      const usage = { requests: 1, input_tokens: 100000, output_tokens: 5000 };
      call.report({ kind: 'model_used', provider: 'anthropic', model: 'claude-opus-4-1', usage });
    }
    return 'again';
  },
}) }] };`;

const loop = `digraph loop {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [prompt="Work"]
  start -> work
  work -> work [condition="outcome=success"]
  work -> done [condition="outcome=fail"]
}`;

test('a loop that spends without end, in a run for which nobody set a budget, stops at $25', async () => {
  const cwd = directoryWith({ 'loop.dot': loop, 'greedy.mjs': plugin });
  const greedy = ['--plugin', './greedy.mjs', '--backend', 'greedy'];
  const run = await attractor(['run', 'loop.dot', '--run-dir', 'out', ...greedy], { cwd });
  expect([run.status, run.stdout]).toEqual([
    3,
    expect.stringMatching(
      /budget: \$25\.00 by default[\s\S]*resume: +attractor resume out --budget-usd 53\n/,
    ),
  ]);
  const { usage } = JSON.parse(readFileSync(path.join(cwd, 'out/result.json'), 'utf8'));
  // One request beyond it at most.
  expect(usage.cost_usd).toBeGreaterThanOrEqual(25);
  expect(usage.cost_usd).toBeLessThan(25 + 1.875);
  const again = await attractor(['resume', 'out', ...greedy], { cwd });
  const after = JSON.parse(readFileSync(path.join(cwd, 'out/result.json'), 'utf8'));
  expect([again.status, after.usage]).toEqual([3, usage]);
});
