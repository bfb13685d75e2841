import { expect, test } from 'vitest';
import { eventsOf, openRegistry, until } from '../../server/runs/harness.js';

/** Stages enough that the runs are under way at the same time. */
const stages = Array.from({ length: 3 }, (_, index) => `s${index}`);
const chain = {
  dot: `digraph Chain {
    start [shape=Mdiamond] done [shape=Msquare]
    ${stages.map((id) => `${id} [prompt="work"]`).join('\n')}
    start -> ${stages.join(' -> ')} -> done
  }`,
} as const;

test('§9.5 two hundred runs at once, each with somebody who follows it: every event once, in order', async () => {
  const { registry } = await openRegistry({ maxRunning: 200, maxQueued: 10 });
  let told = 0;
  registry.onRunEvent(() => {
    told += 1;
  });
  const followed = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { id } = await registry.submit(chain);
      return eventsOf(registry, id);
    }),
  );
  for (const events of followed) {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('PipelineCompleted');
  }
  await until(() => registry.counts().running === 0);
  expect(told).toBe(followed.reduce((sum, events) => sum + events.length, 0));
  const { runs, counts } = registry.list({ limit: 200 });
  expect(runs).toHaveLength(200);
  expect(counts).toEqual({ success: 200 });
}, 240_000);

test('§9.5 whoever leaves in the middle is forgotten, and disturbs nobody', async () => {
  const { registry } = await openRegistry();
  const { id } = await registry.submit({
    dot: 'digraph G { start [shape=Mdiamond] gate [shape=hexagon] a b done [shape=Msquare] start -> gate gate -> a [label="[A] a"] gate -> b [label="[B] b"] a -> done b -> done }',
  });
  const leaving = new AbortController();
  const seen: string[] = [];
  const left = (async () => {
    for await (const { type } of registry.events(id, { signal: leaving.signal })) seen.push(type);
  })();
  await until(() => seen.includes('InterviewStarted'));
  leaving.abort();
  await left;
  const events = eventsOf(registry, id);
  await registry.answer(id, 'gate', 'B');
  expect((await events).at(-1)?.type).toBe('PipelineCompleted');
  expect(seen).not.toContain('PipelineCompleted');
});
