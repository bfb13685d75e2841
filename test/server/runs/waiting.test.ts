import { describe, expect, test } from 'vitest';
import { endless, gated, openRegistry, quick, until, untilStatus } from './harness.js';

const one = { maxRunning: 1 };

/** A branch asks, and the other one works until it is stopped. */
const half = {
  dot: `digraph Half {
    start [shape=Mdiamond] done [shape=Msquare] fan [shape=component] join [shape=tripleoctagon]
    gate [shape=hexagon] work [prompt="work"] yes [prompt="yes"] no [prompt="no"]
    start -> fan  fan -> gate  fan -> work
    gate -> yes [label="[Y] Yes"]  gate -> no [label="[N] No"]
    yes -> join  no -> join  work -> join  join -> done
  }`,
  script: endless.script,
} as const;

describe('§9.5 a run that only waits for people', () => {
  test('takes no place: as many gates may be open as there are, and others run next to them', async () => {
    const { registry } = await openRegistry(one);
    const gates = [];
    for (let count = 0; count < 5; count += 1) gates.push((await registry.submit(gated)).id);
    await until(() => registry.counts().waitingForPeople === 5, 'five open gates');
    expect(registry.counts()).toMatchObject({ running: 5, queued: 0 });
    const { id } = await registry.submit(quick);
    await untilStatus(registry, id, 'success');
    for (const gate of gates) await registry.answer(gate, 'gate', 'A');
    for (const gate of gates) await untilStatus(registry, gate, 'success');
    await until(() => registry.counts().running === 0, 'the end of all');
    expect(registry.counts().waitingForPeople).toBe(0);
  });

  test('lets the next one begin as soon as it asks', async () => {
    const { registry } = await openRegistry(one);
    const blocker = await registry.submit(endless);
    const asking = await registry.submit(gated);
    const last = await registry.submit(quick);
    expect(last.status).toBe('queued');
    await registry.cancel(blocker.id);
    await untilStatus(registry, last.id, 'success');
    expect(registry.detail(asking.id).stages).toMatchObject([{ node_id: 'gate', state: 'asking' }]);
  });

  test('continues at once when it is answered, although the place is taken; what waits then waits for both', async () => {
    const { registry } = await openRegistry(one);
    const asking = await registry.submit(gated);
    await until(() => registry.counts().waitingForPeople === 1);
    const working = await registry.submit({ ...endless });
    const waiting = await registry.submit(quick);
    expect([working.status, waiting.status]).toEqual(['running', 'queued']);
    await registry.answer(asking.id, 'gate', 'A');
    await untilStatus(registry, asking.id, 'success');
    expect(registry.detail(waiting.id).status).toBe('queued');
    await registry.cancel(working.id);
    await untilStatus(registry, waiting.id, 'success');
  });

  test('is none of which another branch works', async () => {
    const { registry } = await openRegistry(one);
    const { id } = await registry.submit(half);
    await until(() => registry.questions(id).length === 1, 'the question');
    await until(() => registry.detail(id).stages.some(({ node_id }) => node_id === 'work'), 'the work');
    expect((await registry.submit(quick)).status).toBe('queued');
    expect(registry.counts()).toMatchObject({ running: 1, waitingForPeople: 0, queued: 1 });
  });

  test('is still one of those that are under way: together they have a bound', async () => {
    const { registry } = await openRegistry({ maxRunning: 1, maxQueued: 2 });
    for (let count = 0; count < 3; count += 1) {
      await registry.submit(gated);
      await until(() => registry.counts().waitingForPeople === count + 1);
    }
    expect((await registry.submit(quick)).status).toBe('queued');
  });
});
