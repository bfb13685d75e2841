import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor, type Finished } from './attractor.js';

/** Makes a request for each stage, with the model that it asks for; `review` lets `fix` run once before it is content. */
const plugin = `
let reviews = 0;
export default {
  name: 'paid',
  backends: [{
    name: 'paid',
    create: () => ({
      async run(node, prompt, context, call) {
        call.checkBudget();
        const usage = { requests: 1, input_tokens: 2000, output_tokens: 500, cached_input_tokens: 1000 };
        call.report({ kind: 'model_used', provider: 'anthropic', model: call.model.model ?? 'house-model', usage });
        if (node.id !== 'review') return 'done';
        reviews += 1;
        return { response: 'seen', outcome: { status: 'success', preferred_label: reviews % 2 === 1 ? 'Again' : 'Good' } };
      },
    }),
  }],
};
`;

const pipeline = (more = ''): string => `digraph review {
  graph [llm_model="claude-sonnet-4-5"${more}]
  start  [shape=Mdiamond]
  done   [shape=Msquare]
  plan   [prompt="Say in one sentence what is to be done"]
  fix    [prompt="Do it", llm_model="house-model"]
  review [prompt="Look at it"]
  start -> plan -> fix -> review
  review -> fix  [label="Again"]
  review -> done [label="Good"]
}`;

interface Place {
  /** Where the pipeline is; the runs are elsewhere. */
  readonly sources: string;
  readonly attractor: (...argv: readonly string[]) => Promise<Finished>;
}

function place(files: Readonly<Record<string, string>> = {}): Place {
  const sources = directoryWith({ 'p.dot': pipeline(), 'paid.mjs': plugin, ...files });
  const cwd = directoryWith({});
  return {
    sources,
    attractor: (...argv) =>
      attractor(
        argv.map((word) => word.replace('@', `${sources}/`)),
        { cwd },
      ),
  };
}

const paid = ['--plugin', '@paid.mjs', '--backend', 'paid'];
const prices = JSON.stringify({ prices: { 'house-model': { input: 10, output: 20, cached_input: 1 } } });

async function estimate({ attractor }: Place, ...more: readonly string[]) {
  const { stdout, status, stderr } = await attractor('cost', '@p.dot', '--json', ...more);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('attractor cost', () => {
  test('counts prompts where there are no past runs, and says what it assumes', async () => {
    const found = await estimate(place());
    const of = (id: string) => found.stages.find(({ node_id }: { node_id: string }) => node_id === id);
    expect(of('plan')).toMatchObject({
      model: 'claude-sonnet-4-5',
      model_from: 'pipeline',
      visits: 1,
      visits_from: 'assumed',
      input_from: 'prompt',
      output_tokens: 1000,
      output_from: 'assumed',
      price_from: 'built_in',
    });
    expect(of('plan').input_tokens).toBeGreaterThan(4);
    expect(of('plan').input_tokens).toBeLessThan(15);
    expect(of('plan').cost_usd).toBeCloseTo((of('plan').input_tokens * 3 + 1000 * 15) / 1e6, 9);
    expect([of('fix').visits_from, of('review').visits_from]).toEqual(['loop', 'loop']);
    expect(of('fix')).toMatchObject({
      model: 'house-model',
      price: null,
      price_from: 'unknown',
      cost_usd: null,
    });
    expect(found.stages_without_cost).toEqual(['fix']);
    expect(found.cost_usd).toBeCloseTo(of('plan').cost_usd + of('review').cost_usd, 9);
    expect(found.past_runs.run_ids).toEqual([]);
  });

  test('takes what several models, and those of a child run, have cost as it was told, and no stage for one that is visited', async () => {
    const stages = 'start [shape=Mdiamond]; done [shape=Msquare]';
    const here = place({
      'paid.mjs': plugin.replace(
        "if (node.id !== 'review') return 'done';",
        "if (node.id === 'two') call.report({ kind: 'model_used', provider: 'anthropic', model: 'claude-haiku-4-5', usage }); return 'done';",
      ),
      'p.dot': `digraph p {
        graph [llm_model="claude-opus-4-1"]; ${stages}
        sub [type=pipeline, child="child.dot"]; two [prompt=x]; rare [prompt=x]
        start -> sub -> two
        two -> done [condition="outcome=success"]; two -> rare [condition="outcome=fail"]; rare -> done
      }`,
      'child.dot': `digraph child { graph [llm_model="claude-haiku-4-5"]; ${stages}; a [prompt=x]; start -> a -> done }`,
    });
    const { usage } = JSON.parse((await here.attractor('run', '@p.dot', '--json', ...paid)).stdout);
    const found = await estimate(here);
    expect(found.cost_usd).toBeCloseTo(usage.cost_usd, 9);
    expect(found.stages).toMatchObject([
      { node_id: 'sub', model: 'claude-haiku-4-5', model_from: 'past_runs', price_from: 'built_in' },
      { node_id: 'two', model: 'claude-opus-4-1', price: null, price_from: 'past_runs' },
      { node_id: 'rare', visits: 0, visits_from: 'past_runs', cost_usd: 0 },
    ]);
  });

  test('learns from past runs of the same pipeline, and tells it from others of its name', async () => {
    const here = place({ 'attractor.config.json': prices });
    const ran = await here.attractor('run', '@p.dot', '--json', ...paid);
    const result = JSON.parse(ran.stdout);
    expect(result).toMatchObject({ status: 'success', visits: { plan: 1, fix: 2, review: 2 } });
    await here.attractor('run', '@p.dot', '--simulate');
    const found = await estimate(here);
    expect(found.past_runs).toMatchObject({ run_ids: [result.run_id], same_pipeline: true, complete: true });
    const stage = {
      visits_from: 'past_runs',
      input_tokens: 2000,
      output_tokens: 500,
      input_from: 'past_runs',
    };
    expect(found.stages).toMatchObject([
      { ...stage, node_id: 'plan', visits: 1, price_from: 'built_in' },
      { ...stage, node_id: 'fix', visits: 2, price_from: 'configuration' },
      { ...stage, node_id: 'review', visits: 2, price_from: 'built_in' },
    ]);
    // What was paid then is what it is said to cost: prices have not changed.
    expect(found.cost_usd).toBeCloseTo(result.usage.cost_usd, 9);
    expect(result.usage.cost_usd).toBeCloseTo(
      (3 * (1000 * 3 + 1000 * 0.3 + 500 * 15) + 2 * (11_000 + 10_000)) / 1e6,
      9,
    );
    writeFileSync(path.join(here.sources, 'p.dot'), pipeline(', goal="Another"'));
    expect((await estimate(here)).past_runs).toMatchObject({
      run_ids: [result.run_id],
      same_pipeline: false,
    });
    const text = await here.attractor('cost', '@p.dot');
    expect(text.stdout).toMatch(
      /^fix +2 +2,000 +500 +\$0\.042 +house-model · visits of past runs · tokens of past runs · price of the configuration$/m,
    );
    expect(text.stdout).toContain('averages of 1 past run of an earlier version of this pipeline');
  });

  test('says what it does not know, and where it is more than the budget', async () => {
    const { attractor } = place({ 'p.dot': pipeline(', budget_usd=0.001') });
    const { stdout, status } = await attractor('cost', '@p.dot');
    expect(status).toBe(0);
    expect(stdout).toContain('! fix is not in the sum: no price is known for house-model.');
    expect(stdout).toContain('more than its `budget_usd` of $0.001');
    expect(stdout).toMatch(/^fix +1\? .*in a loop: number of visits unknown/m);
  });

  test('says where it is more tokens than the budget, also where no price is known', async () => {
    const dot = (budget: number) =>
      pipeline(`, llm_model="nobody-knows-it", budget_tokens=${budget}`).replaceAll(
        'llm_model="claude-sonnet-4-5"',
        'goal=x',
      );
    const little = await place({ 'p.dot': dot(2000) }).attractor('cost', '@p.dot');
    expect(little.stdout).toMatch(/! 3,0\d\d tokens are more than its `budget_tokens` of 2,000 tokens/);
    const enough = await place({ 'p.dot': dot(4000) }).attractor('cost', '@p.dot');
    expect(enough.stdout).not.toContain('budget_tokens');
  });

  test('takes the model of the configuration for stages that name none', async () => {
    const named = pipeline().replace('[llm_model="claude-sonnet-4-5"]', '[goal="x"]');
    const here = place({ 'p.dot': named, 'attractor.config.json': JSON.stringify({ model: 'gpt-4o' }) });
    const [plan] = (await estimate(here)).stages;
    expect(plan).toMatchObject({ node_id: 'plan', model: 'gpt-4o', price: { input: 2.5, output: 10 } });
    const other = await estimate(here, '--model', 'gpt-4o-mini');
    expect(other.stages[0]).toMatchObject({ model: 'gpt-4o-mini', price: { input: 0.15 } });
  });

  test('a pipeline that cannot run has no cost', async () => {
    const { attractor } = place({ 'p.dot': 'digraph p { a [prompt="x"] }' });
    expect((await attractor('cost', '@p.dot')).status).toBe(1);
  });

  test('a pipeline without models costs nothing', async () => {
    const { attractor } = place({
      'p.dot': 'digraph p { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }',
    });
    expect((await attractor('cost', '@p.dot')).stdout).toContain('it costs nothing');
  });
});

describe('what a run costs', () => {
  test('is shown by stage at its end and in its status, with its budget', async () => {
    const here = place({ 'p.dot': pipeline(', budget_usd=1'), 'attractor.config.json': prices });
    const ran = await here.attractor('run', '@p.dot', ...paid);
    expect(ran.status).toBe(0);
    const table = [
      /^ +requests +input +output +cost$/m,
      /^ +fix +2 +4,000 +1,000 +\$0\.042$/m,
      /^ +all stages +5 +10,000 +2,500 +\$0\.07/m,
    ];
    for (const row of table) expect(ran.stdout).toMatch(row);
    const status = await here.attractor('status');
    for (const row of table) expect(status.stdout).toMatch(row);
    expect(status.stdout).toMatch(/budget of the run: \$0\.07\d* of \$1\.00 \(7 %\)/);
    const { usage, usage_by_stage, budgets } = JSON.parse((await here.attractor('status', '--json')).stdout);
    expect(usage).toMatchObject({ requests: 5, input_tokens: 10_000, cached_input_tokens: 5000 });
    expect(Object.keys(usage_by_stage).toSorted()).toEqual(['fix', 'plan', 'review']);
    expect(budgets).toEqual([{ unit: 'usd', limit: 1, used: usage.cost_usd, node_id: null }]);
  });

  test('has an exit status of its own where it is more than the budget, and is said what to do', async () => {
    const here = place();
    const ran = await here.attractor(
      'run',
      '@p.dot',
      '--budget-tokens',
      '6000',
      '--run-dir',
      '@run',
      ...paid,
    );
    expect(ran.status).toBe(3);
    expect(ran.stdout).toMatch(/! The run has used 5,000 tokens of the 6,000 tokens allowed \(83 %\)/);
    expect(ran.stdout).toMatch(
      /! the budget is used up: the run pauses after the current requests\n[\s\S]*‖ paused: the run has used 7,500 tokens of the 6,000 tokens/,
    );
    expect(ran.stdout).toMatch(/resume: +attractor resume .*run --budget-tokens 15000/);
    expect((await here.attractor('status', '@run')).stdout).toMatch(
      /^ +attractor resume .*run --budget-tokens 15000$/m,
    );
    expect(ran.stdout).toContain('no price is known for house-model');
    const again = await here.attractor('resume', '@run', ...paid);
    expect(again.status).toBe(3);
    const result = JSON.parse(readFileSync(path.join(here.sources, 'run/result.json'), 'utf8'));
    expect(result).toMatchObject({
      status: 'paused',
      usage: { requests: 3 },
      unpriced_models: ['house-model'],
      budgets: [
        { unit: 'usd', limit: 25 },
        { unit: 'tokens', limit: 6000, used: 7500 },
      ],
    });
    const more = await here.attractor('resume', '@run', '--budget-tokens', '1000000', '--json', ...paid);
    expect([more.status, JSON.parse(more.stdout).status]).toEqual([0, 'success']);
  });

  const refused = [
    ['--budget-usd', '-1'],
    ['--budget-usd', 'much'],
    ['--stage-budget', 'plan'],
    ['--stage-budget', 'plan=much'],
    ['--stage-budget', 'plan=1.5tokens'],
    ['--stage-budget', '=1'],
    ['--stage-budget', 'paln=1'],
    ['--budget-tokens', '1.5'],
  ] as const;
  test.each(refused)('%s %s is refused', async (option, value) => {
    const { attractor } = place();
    expect((await attractor('run', '@p.dot', option, value)).status).toBe(2);
  });
});
