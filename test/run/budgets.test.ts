import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { Handler } from '../../src/handlers/handler.js';
import type { RunEvent } from '../../src/machine/event.js';
import { systemClock } from '../../src/run/driver/clock.js';
import { applyAll } from '../../src/view/fold/apply.js';
import { emptyView } from '../../src/view/fold/run-view.js';
import { runProject, subPipeline } from './children/children.js';
import { eventsOf, fileOf, jsonOf, pipeline, resumePipeline, runPipeline, testEach } from './harness.js';
import { spendingBackend } from './spending-backend.js';

const three = (...attributes: readonly string[]): string =>
  pipeline(...attributes, 'a', 'b', 'c', 'start -> a -> b -> c -> exit');

/** One after the other: of the node `a` three requests, of the others one. */
const requests = { a: [{}, {}, {}], b: [{}], c: [{}] };

describe('§12 Graph attributes we add: the budget of a run', () => {
  const rows = [
    { name: 'in tokens, from the graph', dot: three('graph [budget_tokens=200]'), options: {}, begun: 'a a' },
    { name: 'in dollars, from the graph', dot: three('graph [budget_usd=0.02]'), options: {}, begun: 'a a' },
    {
      name: 'that a request goes beyond',
      dot: three('graph [budget_tokens=150]'),
      options: {},
      begun: 'a a',
    },
    {
      name: 'of the call in place of the graph',
      dot: three('graph [budget_tokens=100]'),
      options: { budgetTokens: 400 },
      begun: 'a a a b',
    },
    { name: 'of the call alone', dot: three(), options: { budgetUsd: 0.03 }, begun: 'a a a' },
    { name: 'of nothing', dot: three(), options: { budgetUsd: 0 }, begun: '' },
    {
      name: 'the smaller one of two',
      dot: three(),
      options: { budgetUsd: 0.04, budgetTokens: 200 },
      begun: 'a a',
    },
    {
      name: 'in dollars that do not add up exactly',
      dot: three(),
      options: { budgetUsd: 0.04 },
      begun: 'a a a b',
    },
  ];
  testEach(rows, async ({ dot, options, begun }) => {
    const backend = spendingBackend(requests);
    const { result, directory } = await runPipeline(dot, { backend, ...options });
    expect(result.status).toBe('paused');
    expect(result.paused_reason).toMatch(/^the run has used .+ allowed by its budget \(`budget_/);
    expect(backend.begun.join(' ')).toBe(begun);
    const again = spendingBackend(requests);
    const refused = await resumePipeline(directory, { backend: again });
    expect([refused.result.status, again.begun]).toEqual(['paused', []]);
    expect(refused.result.paused_reason).toContain('to continue, resume it with a larger --budget-');
    const more = { budgetUsd: 1, budgetTokens: 10_000 };
    const finished = await resumePipeline(directory, { backend: again, ...more });
    expect(finished.result.status).toBe('success');
    expect(finished.result.completed_nodes).toEqual(['start', 'a', 'b', 'c']);
  });

  test('is warned of at 80 %, once, and told when it is used up', async () => {
    const { events, directory } = await runPipeline(three('graph [budget_tokens=500]'), {
      backend: spendingBackend({ a: [{}, {}, {}, {}] }),
    });
    expect(news(events)).toEqual(['BudgetWarning run 400/500 a', 'BudgetExceeded run 500/500 b']);
    const more = await resumePipeline(directory, { backend: spendingBackend(), budgetTokens: 600 });
    expect(news(more.events)).toEqual(['BudgetWarning run 500/600 -', 'BudgetExceeded run 600/600 c']);
  });
});

describe('the budget of a visit', () => {
  const dot = pipeline('a [budget_tokens=250]', 'b [budget_usd=1]', 'start -> a -> b -> exit');

  test('stops its stage, whose usage counts on when the run is resumed with a larger one', async () => {
    const backend = spendingBackend({ a: Array.from({ length: 5 }, () => ({})) });
    const first = await runPipeline(dot, { backend });
    expect(news(first.events)).toEqual(['BudgetWarning stage 200/250 a', 'BudgetExceeded stage 300/250 a']);
    expect(first.result).toMatchObject({ status: 'paused', usage: { requests: 3 } });
    expect(first.result.paused_reason).toBe(
      '"a" has used 300 tokens of the 250 tokens allowed per visit (its `budget_tokens`); to continue this visit, resume the run with a larger --stage-budget',
    );
    expect(first.result.budgets).toContainEqual({ unit: 'tokens', limit: 250, used: 300, node_id: 'a' });
    const refused = spendingBackend();
    const still = await resumePipeline(first.directory, { backend: refused });
    expect([still.result.status, refused.begun]).toEqual(['paused', []]);
    const again = spendingBackend({ a: [{}, {}, {}] });
    const stageBudgets = { a: { tokens: 450 } };
    const more = await resumePipeline(first.directory, { backend: again, stageBudgets });
    expect([more.result.status, again.begun]).toEqual(['paused', ['a', 'a']]);
    expect(more.result.paused_reason).toContain('has used 500 tokens of the 450 tokens');
    const enough = spendingBackend();
    const second = await resumePipeline(first.directory, {
      backend: enough,
      stageBudgets: { a: { tokens: 1000 } },
    });
    expect([second.result.status, enough.begun]).toEqual(['success', ['a', 'b']]);
    expect(second.result.usage).toMatchObject({ requests: 7, input_tokens: 420, output_tokens: 280 });
    expect(second.result.usage.cost_usd).toBeCloseTo(0.07, 9);
    expect(Object.keys(second.result.usage_by_stage)).toEqual(['a', 'b']);
  });

  test.each([
    { unit: 'tokens', more: { budgetTokens: 5000 }, graph: '' },
    { unit: 'tokens', more: { budgetTokens: 5000 }, graph: 'graph [budget_tokens=1000];' },
  ])(
    'is not raised by that of the run ($graph): nothing starts over, and the run is as it was',
    async ({ more, graph }) => {
      const backend = spendingBackend({ a: Array.from({ length: 5 }, () => ({})) });
      const { directory } = await runPipeline(dot.replace('{', `{ ${graph}`), { backend });
      const journal = fileOf(directory, 'events.jsonl');
      const again = spendingBackend();
      await expect(resumePipeline(directory, { backend: again, ...more })).rejects.toThrow(
        'the stage "a" has used 300 tokens of the 250 tokens of its own budget (`budget_tokens` of the stage); --budget-tokens is for the whole run and does not raise it. Nothing was changed. Raise that of the stage: --stage-budget a=600tokens',
      );
      expect([again.begun, fileOf(directory, 'events.jsonl')]).toEqual([[], journal]);
      const stageBudgets = { a: { tokens: 600 } };
      const resumed = await resumePipeline(directory, { backend: again, ...more, stageBudgets });
      expect(resumed.result.status).toBe('success');
    },
  );

  test('does not keep the run from having its own one raised, where both are used up', async () => {
    const both = dot.replace('{', '{ graph [budget_tokens=300];');
    const backend = spendingBackend({ a: Array.from({ length: 5 }, () => ({})) });
    const { directory } = await runPipeline(both, { backend });
    const ofRun = await resumePipeline(directory, { backend: spendingBackend(), budgetTokens: 5000 });
    expect(ofRun.result.paused_reason).toContain('"a" has used 300 tokens of the 250 tokens');
    const stageBudgets = { a: { tokens: 600 } };
    const resumed = await resumePipeline(directory, { backend: spendingBackend(), stageBudgets });
    expect(resumed.result.status).toBe('success');
  });

  test('whose last request is one too many is over, and the run continues after it when it is resumed', async () => {
    const first = await runPipeline(dot, { backend: spendingBackend({ a: [{ input: 260 }] }) });
    expect(first.result).toMatchObject({ status: 'paused', completed_nodes: ['start', 'a'] });
    const again = spendingBackend();
    const second = await resumePipeline(first.directory, { backend: again });
    expect([second.result.status, again.begun]).toEqual(['success', ['b']]);
  });

  test('starts over with every visit', async () => {
    const loop = pipeline(
      'a [budget_tokens=150]',
      'b',
      'start -> a -> b',
      'b -> a [condition="context.round!=2"]',
      'b -> exit [condition="context.round=2"]',
      'graph [max_steps=10]',
    );
    let round = 0;
    const spending = spendingBackend();
    const backend = {
      async run(...args: Parameters<typeof spending.run>) {
        await spending.run(...args);
        if (args[0].id === 'b') round += 1;
        return { status: 'success' as const, context_updates: { round } };
      },
    };
    const { result, events } = await runPipeline(loop, { backend });
    expect(result).toMatchObject({ status: 'success', visits: { a: 2, b: 2 }, usage: { requests: 4 } });
    expect(news(events)).toEqual([]);
  });
});

describe('the budget in parallel branches', () => {
  const branches = ['b1', 'b2', 'b3', 'b4'];
  const dot = pipeline(
    'graph [budget_tokens=1000]',
    'fan [shape=component]',
    'join [shape=tripleoctagon, prompt=""]',
    'start -> fan',
    ...branches.map((id) => `fan -> ${id} -> ${id}_after -> join`),
    'join -> exit',
  );
  const long = Object.fromEntries(branches.map((id) => [id, Array.from({ length: 5 }, () => ({}))]));

  test('no request begins in any branch once it is used up, and nothing that had finished runs again', async () => {
    const backend = spendingBackend({ ...long, b1: [{}] });
    const first = await runPipeline(dot, { backend });
    expect(first.result.status).toBe('paused');
    expect(Math.max(...backend.usedBefore)).toBeLessThan(1000);
    // The requests that were under way then were the last ones.
    expect(first.result.usage.requests).toBe(backend.begun.length);
    expect(backend.begun.length).toBeGreaterThanOrEqual(10);
    expect(backend.begun.length).toBeLessThanOrEqual(13);
    const done = new Set(first.result.completed_nodes);
    expect(done).toContain('b1');
    const again = spendingBackend(long);
    const second = await resumePipeline(first.directory, { backend: again, budgetTokens: 100_000 });
    expect(second.result.status).toBe('success');
    expect(again.begun.filter((id) => done.has(id))).toEqual([]);
    const total = backend.begun.length + again.begun.length;
    expect(second.result.usage).toMatchObject({ requests: total, input_tokens: total * 60 });
  });

  test('counts what a handler tells before it has let go of the engine', async () => {
    let begun = 0;
    const greedy: Handler = {
      execute(stage) {
        for (;;) {
          stage.checkBudget();
          begun += 1;
          const usage = { requests: 1, input_tokens: 100, output_tokens: 0 };
          stage.report({ kind: 'model_used', provider: '', model: 'm', usage });
        }
      },
    };
    const line = pipeline('graph [budget_tokens=300]', 'a [type=greedy]', 'start -> a -> exit');
    const { result } = await runPipeline(line, { handlers: { greedy } });
    expect([result.status, begun, result.usage.requests]).toEqual(['paused', 3, 3]);
  });

  test('a fan-in that would ask a model is stopped too, instead of choosing without it', async () => {
    const asking = dot.replace('prompt=""', 'prompt="Which is best?"').replace('=1000', '=750');
    const { result } = await runPipeline(asking, { backend: spendingBackend() });
    expect(result.status).toBe('paused');
    expect(result.completed_nodes).not.toContain('join');
  });
});

describe('a model without a price', () => {
  const unpriced = { usd: Number.NaN };
  const rows = [
    { name: 'is named once where money is counted', dot: three('graph [budget_usd=1]'), warnings: 1 },
    { name: 'also for the budget of a stage', dot: three('a [budget_usd=1]'), warnings: 1 },
    { name: 'also for the default', dot: three(), warnings: 1 },
    {
      name: 'does not matter where only tokens are',
      dot: three('graph [budget_tokens=10000, budget_usd=none]'),
      warnings: 0,
    },
    { name: 'does not matter without a budget', dot: three('graph [budget_usd=none]'), warnings: 0 },
  ];
  testEach(rows, async ({ dot, warnings }) => {
    const backend = spendingBackend({
      a: [unpriced, unpriced],
      b: [unpriced],
      c: [{ ...unpriced, input: 0, output: 0 }],
    });
    const { result, events } = await runPipeline(dot, { backend });
    const said = eventsOf(events, 'LogAppended').filter(({ message }) =>
      message.includes('no price is known'),
    );
    expect(said.map(({ level }) => level)).toEqual(Array.from({ length: warnings }, () => 'warning'));
    expect(result).toMatchObject({ status: 'success', unpriced_models: ['m'] });
    expect(result.usage.cost_usd).toBeUndefined();
  });
});

describe('what a backend is told', () => {
  const rows = [
    { name: 'no budget', dot: three('graph [budget_usd=none]'), told: [false, false, false] },
    { name: 'the default', dot: three(), told: [true, true, true] },
    { name: 'one of the run', dot: three('graph [budget_usd=1]'), told: [true, true, true] },
    {
      name: 'one of a stage',
      dot: three('graph [budget_usd=none]', 'b [budget_tokens=1000]'),
      told: [false, true, false],
    },
  ];
  testEach(rows, async ({ dot, told }) => {
    const heard: unknown[] = [];
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { isBudgeted }) {
        heard.push(isBudgeted);
        return 'Done.';
      },
    };
    await runPipeline(dot, { backend });
    expect(heard).toEqual(told);
  });

  test('that of a run above holds for a child too', async () => {
    const heard: unknown[] = [];
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { isBudgeted }) {
        heard.push(isBudgeted);
        return 'Done.';
      },
    };
    const child = pipeline('work', 'start -> work -> exit');
    await runProject({ 'main.dot': subPipeline(', budget_tokens=900'), 'child.dot': child }, { backend });
    const lifted = { backend, budgetUsd: 'none' } as const;
    await runProject({ 'main.dot': subPipeline(), 'child.dot': child }, lifted);
    await runProject({ 'main.dot': subPipeline(', budget_tokens=900'), 'child.dot': child }, lifted);
    expect(heard).toEqual([true, false, true]);
  });
});

describe('an agent that says at the end of its turn what it has cost', () => {
  /** Two requests of a model without a price, and what both have cost; `b` does not say it. */
  const agent: CodergenBackend = {
    async run(node, _prompt, _context, { report }) {
      const usage = { requests: 1, input_tokens: 60, output_tokens: 40 };
      const use = { kind: 'model_used', provider: 'agent' } as const;
      report({ ...use, model: 'new', usage });
      report({ ...use, model: node.id === 'b' ? 'other' : 'new', usage });
      const sum = { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0.5 };
      if (node.id !== 'b') report({ ...use, model: '', usage: sum });
      return 'Done.';
    },
  };

  test.each([
    { stages: 'a', unpriced: undefined, cost: 0.5 },
    { stages: 'a -> c', unpriced: undefined, cost: 1 },
    { stages: 'a -> b -> c', unpriced: ['new', 'other'], cost: 1 },
  ])('$stages: only what nobody has priced is said to have no price', async ({ stages, unpriced, cost }) => {
    const { result, events } = await runPipeline(pipeline(`start -> ${stages} -> exit`), { backend: agent });
    expect(result.unpriced_models).toEqual(unpriced);
    expect(result.usage.cost_usd).toBe(cost);
    const { usage } = applyAll(emptyView(), events);
    expect([...usage.unpriced.keys()].sort()).toEqual(unpriced ?? []);
  });
});

describe('what cannot be counted', () => {
  const rows = [
    {
      name: 'tokens that are not a number',
      request: { input: Number.NaN },
      problem: '`input_tokens` is NaN',
    },
    { name: 'tokens below none', request: { output: -1 }, problem: '`output_tokens` is -1' },
    { name: 'parts of tokens', request: { input: 1.5 }, problem: '`input_tokens` is 1.5' },
    {
      name: 'a cost without end',
      request: { usd: Number.POSITIVE_INFINITY },
      problem: '`cost_usd` is Infinity',
    },
  ];
  testEach(rows, async ({ request, problem }) => {
    const { result, directory } = await runPipeline(three(), { backend: spendingBackend({ a: [request] }) });
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toContain(`that cannot be counted: ${problem}, but it must be`);
    const resumed = await resumePipeline(directory, { backend: spendingBackend() });
    expect(resumed.result).toMatchObject({ status: 'success', usage: { requests: 3 } });
  });
});

describe('9.4: what a child run uses', () => {
  const files = {
    'main.dot': subPipeline(', budget_tokens=900', 'graph [budget_tokens=500]'),
    'child.dot': pipeline('work', 'more', 'start -> work -> more -> exit'),
  };
  const requests = { work: [{}, {}, {}], more: [{}, {}, {}] };

  test('counts for the stage that runs it, and stops at what is left there', async () => {
    const backend = spendingBackend(requests);
    const first = await runProject(files, { backend });
    expect(backend.begun).toEqual(['work', 'work', 'work', 'more', 'more']);
    expect(first.result).toMatchObject({ status: 'paused', usage_by_stage: { sub: { requests: 5 } } });
    expect(first.result.paused_reason).toMatch(/^the run has used 500 tokens of the 500 tokens/);
    const again = spendingBackend({ more: [{}] });
    const refused = await resumePipeline(first.directory, { backend: again });
    expect([refused.result.status, again.begun]).toEqual(['paused', []]);
    expect(refused.result.paused_reason).toMatch(
      /^the child run of "sub" is paused: the parent run may not spend any more: the run has used 500 tokens/,
    );
    const second = await resumePipeline(first.directory, { backend: again, budgetTokens: 2000 });
    expect([second.result.status, again.begun]).toEqual(['success', ['more']]);
    expect(second.result.usage.requests).toBe(6);
    expect(jsonOf(first.directory, 'sub/child/result.json').usage.requests).toBe(6);
  });

  test('is bounded by the budget of the stage, and by one of its own', async () => {
    const rich = { ...files, 'main.dot': subPipeline(', budget_tokens=200') };
    const first = await runProject(rich, { backend: spendingBackend(requests) });
    expect(first.result).toMatchObject({ status: 'paused', usage: { requests: 2 } });
    expect(first.result.paused_reason).toContain('"sub" has used 200 tokens of the 200 tokens');
    const own = {
      'main.dot': subPipeline(),
      'child.dot': files['child.dot'].replace('work\n', 'work\ngraph [budget_tokens=400]\n'),
    };
    const second = await runProject(own, { backend: spendingBackend(requests), budgetTokens: 10_000 });
    expect(second.result).toMatchObject({ status: 'paused', usage: { requests: 4 } });
    expect(second.result.paused_reason).toContain(
      'the child run of "sub" is paused: the run has used 400 tokens',
    );
  });

  test('of a child in a child counts in every run above, once', async () => {
    const deep = {
      'main.dot': subPipeline('', 'graph [budget_tokens=300]'),
      'child.dot': subPipeline().replace('child.dot', 'leaf.dot'),
      'leaf.dot': files['child.dot'],
    };
    const backend = spendingBackend(requests);
    const { result, directory } = await runProject(deep, { backend });
    expect([result.status, backend.begun.length, result.usage.requests]).toEqual(['paused', 3, 3]);
    const again = spendingBackend(requests);
    const resumed = await resumePipeline(directory, { backend: again, budgetTokens: 3000 });
    expect(resumed.result).toMatchObject({ status: 'success', usage: { requests: 3 + again.begun.length } });
    for (const below of ['sub/child', 'sub/child/sub/child'])
      expect(jsonOf(directory, below, 'result.json').usage).toEqual(resumed.result.usage);
  });

  test('besides others in parallel is exact to one request', async () => {
    const parallel = {
      'main.dot': pipeline(
        'graph [budget_tokens=1000]',
        'fan [shape=component]',
        'join [shape=tripleoctagon, prompt=""]',
        'start -> fan',
        ...['s1', 's2', 's3'].map((id) => `${id} [type=pipeline, child="child.dot"]`),
        ...['s1', 's2', 's3', 'own'].map((id) => `fan -> ${id} -> join`),
        'join -> exit',
      ),
      'child.dot': dotOfBranches,
    };
    const many = Array.from({ length: 6 }, () => ({}));
    const backend = spendingBackend({ c1: many, c2: many, own: many });
    // Real time: what branches come to shares flushes of the journal then, and is told later.
    const { result } = await runProject(parallel, { backend, clock: systemClock });
    expect(result.status).toBe('paused');
    expect(Math.max(...backend.usedBefore)).toBeLessThan(1000);
    expect(result.usage.requests).toBe(backend.begun.length);
  });
});

const dotOfBranches = pipeline(
  'f [shape=component]',
  'j [shape=tripleoctagon, prompt=""]',
  'start -> f',
  'f -> c1 -> j',
  'f -> c2 -> j',
  'j -> exit',
);

/** What was said of budgets, in short. */
function news(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'BudgetWarning' || event.type === 'BudgetExceeded'
      ? [`${event.type} ${event.scope} ${event.used}/${event.limit} ${event.node_id ?? '-'}`]
      : [],
  );
}
