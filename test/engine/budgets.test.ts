import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/machine/event.js';
import { pipeline, resumePipeline, runPipeline, testEach } from './harness.js';
import { spendingBackend } from './spending-backend.js';

const three = (...attributes: readonly string[]): string =>
  pipeline(...attributes, 'a', 'b', 'c', 'start -> a -> b -> c -> exit');

/** One after the other: of the node `a` three requests, of the others one. */
const requests = { a: [{}, {}, {}], b: [{}], c: [{}] };

describe('SEMANTICS 12: the budget of a run', () => {
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
    expect(result.paused_reason).toMatch(/^the run has used .+ that its budget \(`budget_/);
    expect(backend.begun.join(' ')).toBe(begun);
    const again = spendingBackend(requests);
    const refused = await resumePipeline(directory, { backend: again });
    expect([refused.result.status, again.begun]).toEqual(['paused', []]);
    expect(refused.result.paused_reason).toContain(`attractor resume ${result.run_id} --budget-`);
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

/** What was said of budgets, in short. */
function news(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'BudgetWarning' || event.type === 'BudgetExceeded'
      ? [`${event.type} ${event.scope} ${event.used}/${event.limit} ${event.node_id ?? '-'}`]
      : [],
  );
}
