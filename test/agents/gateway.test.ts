import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { costOf, priceOf } from '../../src/backends/prices.js';
import { eventsOf } from '../run/harness.js';
import { refuses, says } from '../support/mock-models.js';
import { benchFor, runs, usage, withEachAgent } from './real-agents.js';

withEachAgent(', metered', (agent) => {
  test('126: costs what its requests cost, and never has the key', async () => {
    const turns = [
      runs(agent, `printenv ${agent.keyVariable} > key.txt`),
      runs(agent, 'echo again > again.txt'),
      says('All done.', { usage: usage(3000, 300) }),
    ];
    const { run, workplace, models } = await benchFor(agent, turns);
    const { result, events } = await run();
    expect(result, result.failure_reason).toMatchObject({ status: 'success' });
    expect(models.requests()).toHaveLength(3);
    // OpenCode and Codex have their sessions named, which the mock does for nothing.
    const used = eventsOf(events, 'ModelUsed').filter((event) => event.usage.input_tokens > 0);
    expect(
      used.map(({ usage: { requests, input_tokens: input, output_tokens: output } }) => [
        requests,
        input,
        output,
      ]),
    ).toEqual([
      [1, 1000, 20],
      [1, 1000, 20],
      [1, 3000, 300],
    ]);
    const price = priceOf({ model: agent.pricedAs });
    if (price === undefined) throw new Error(`${agent.pricedAs} has no price`);
    const sum = { requests: 3, input_tokens: 5000, output_tokens: 340 };
    expect(result.usage.cost_usd).toBeCloseTo(costOf(sum, price), 9);
    expect(readFileSync(path.join(workplace, 'key.txt'), 'utf8')).toMatch(/^attractor-[\w-]{43}\n$/);
  });

  test('126: is stopped before the first request beyond its budget', async () => {
    const more = Array.from({ length: 5 }, () => runs(agent, 'true'));
    const { run, models } = await benchFor(agent, [...more, says('All done.')]);
    const { result, events } = await run({ stage: ', budget_tokens=1500' });
    expect(result.status, result.failure_reason).toBe('paused');
    expect(models.requests()).toHaveLength(2);
    const used = eventsOf(events, 'ModelUsed').filter((event) => event.usage.input_tokens > 0);
    expect(used).toHaveLength(2);
  });

  test('122: fails at once where its key is refused', async () => {
    const { run, models } = await benchFor(
      agent,
      Array.from({ length: 9 }, () => refuses(401)),
    );
    const { result, events } = await run({ stage: ', max_retries=2' });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toMatch(/HTTP 401: refused with 401; check the API key/);
    expect(models.requests()).toHaveLength(1);
    expect(eventsOf(events, 'StageRetrying')).toEqual([]);
  });

  test('122: hears nothing of a request that is repeated', async () => {
    const { run, models } = await benchFor(agent, [
      refuses(500),
      says('All done.', { usage: usage(100, 10) }),
    ]);
    const { result, events } = await run();
    expect(result, result.failure_reason).toMatchObject({ status: 'success' });
    expect(models.requests()).toHaveLength(2);
    expect(eventsOf(events, 'RequestRetrying')).toMatchObject([{ node_id: 'work', reason: 'HTTP 500' }]);
  });
});
