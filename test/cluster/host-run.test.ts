import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { pipeline } from '../run/harness.js';
import { submitted, type TestCluster, WorkerDied } from './harness.js';

const line = pipeline('a', 'b', 'c', 'start -> a -> b -> c -> exit');
const gate = pipeline(
  'g [shape=hexagon, label="Ship it?"]',
  'yes',
  'no',
  'start -> g',
  'g -> yes [label="[Y] Yes"]',
  'g -> no [label="[N] No"]',
  'yes -> exit',
  'no -> exit',
);

function completed(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'StageCompleted' ? [event.node_id] : []));
}

function died(error: unknown): void {
  if (!(error instanceof WorkerDied)) throw error;
}

/** Stages that work, and a count of how often each did. */
function counted() {
  const counts = new Map<string, number>();
  const handlers = new HandlerRegistry().register('codergen', {
    execute: async ({ node }) => {
      counts.set(node.id, (counts.get(node.id) ?? 0) + 1);
      return { status: 'success' };
    },
  });
  return { counts, handlers };
}

/** Resolves when a question is recorded. */
async function asked({ engine }: TestCluster): Promise<string> {
  for (;;) {
    for (const event of engine.events) if (event.type === 'InterviewStarted') return event.question.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a run in durable steps', () => {
  test('records each stage that works in a step, and those that do not along with it', async () => {
    const cluster = await submitted(line, { simulate: true });
    const { view } = await cluster.work();
    expect(view.status).toBe('success');
    const steps = cluster.engine.batches.map(({ records }) =>
      completed(records.flatMap(({ events }) => events)),
    );
    expect(steps).toEqual([['start'], ['a'], ['b'], ['c', 'exit']]);
  });

  test('starts no stage again that is recorded, and the one that is not', async () => {
    const { counts, handlers } = counted();
    const cluster = await submitted(line, { handlers });
    await cluster.work({ mostSteps: 2 }).catch(died);
    expect(Object.fromEntries(counts)).toEqual({ a: 1, b: 1 });
    const { view } = await cluster.work();
    expect(view.status).toBe('success');
    expect(Object.fromEntries(counts)).toEqual({ a: 1, b: 2, c: 1 });
  });

  test('repeats a run that is over without any work', async () => {
    const { counts, handlers } = counted();
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    const { length } = cluster.engine.batches;
    expect((await cluster.work({ mostSteps: 0 })).view.status).toBe('success');
    expect(cluster.engine.batches.length).toBe(length);
    expect([...counts.values()]).toEqual([1, 1, 1]);
  });

  test('takes one of two answers, and says so to both', async () => {
    const { handlers } = counted();
    const cluster = await submitted(gate, { handlers });
    const work = cluster.work();
    const question = await asked(cluster);
    cluster.engine.send({ kind: 'answer', id: 'first', question, answer: 'Y' });
    cluster.engine.send({ kind: 'answer', id: 'second', question, answer: 'N' });
    const { view, receipts } = await work;
    expect(view.status).toBe('success');
    expect(completed(cluster.engine.events)).toEqual(['start', 'g', 'yes', 'exit']);
    expect(receipts.get('first')?.refusal).toBeUndefined();
  });

  test('delivers an answer again that a worker took with it', async () => {
    const { handlers } = counted();
    const cluster = await submitted(gate, { handlers });
    // It dies when it is about to record what the answer leads to.
    cluster.engine.onRecorded = ({ receives }) => {
      if (receives) cluster.engine.die();
    };
    const first = cluster.work().catch(died);
    const question = await asked(cluster);
    cluster.engine.send({ kind: 'answer', id: 'one', question, answer: 'N' });
    await first;
    expect(completed(cluster.engine.events)).toEqual(['start']);
    expect((await cluster.work()).view.status).toBe('success');
    expect(completed(cluster.engine.events)).toEqual(['start', 'g', 'no', 'exit']);
  });

  test('rests where it was paused, and goes on when it is told to', async () => {
    const { handlers } = counted();
    const cluster = await submitted(gate, { handlers });
    void cluster.work().catch(died);
    const question = await asked(cluster);
    cluster.engine.send({ kind: 'pause', id: 'p', mode: 'after_stage', reason: 'lunch' });
    await until(() => count(cluster, 'PipelinePaused') === 1);
    cluster.engine.die();
    const second = cluster.work();
    cluster.engine.send({ kind: 'resume', id: 'r' });
    await until(() => count(cluster, 'PipelineResumed') === 1);
    cluster.engine.send({ kind: 'answer', id: 'a', question, answer: 'Y' });
    const { view, receipts } = await second;
    expect(view.status).toBe('success');
    expect(receipts.get('r')).toEqual({ id: 'r' });
  });

  test('is cancelled by a message', async () => {
    const cluster = await submitted(gate, {});
    const work = cluster.work();
    await asked(cluster);
    cluster.engine.send({ kind: 'cancel', id: 'c' });
    expect((await work).view.status).toBe('cancelled');
  });

  test('goes on elsewhere when the worker leaves, without counting as a death', async () => {
    const cluster = await submitted(gate, {});
    for (let worker = 1; worker <= 5; worker += 1) {
      let leave = (): void => undefined;
      void cluster
        .work({
          onLive: (run) => {
            leave = () => run.leave('now');
          },
        })
        .catch(died);
      await until(
        () => count(cluster, 'InterviewStarted') > 0 && count(cluster, 'PipelineResumed') === worker - 1,
      );
      leave();
      await until(() => count(cluster, 'PipelinePaused') === worker);
      cluster.engine.die();
    }
    const last = cluster.work();
    cluster.engine.send({ kind: 'answer', id: 'a', question: await asked(cluster), answer: 'Y' });
    const { view } = await last;
    expect(view.status).toBe('success');
  });

  test('waits for a person where one worker after the other has died', async () => {
    let executions = 0;
    const handlers = new HandlerRegistry().register('codergen', {
      execute: ({ node }) => {
        if (node.id !== 'b') return { status: 'success' };
        executions += 1;
        cluster.engine.die();
        return { status: 'success' };
      },
    });
    const cluster = await submitted(line, { handlers });
    const lives: Promise<unknown>[] = [];
    for (let worker = 1; worker <= 5; worker += 1) {
      const life = cluster.work().catch(died);
      lives.push(life);
      await Promise.race([life, until(() => cluster.engine.events.at(-1)?.type === 'PipelinePaused')]);
    }
    expect(executions).toBe(4);
    const last = cluster.engine.events.at(-1);
    expect(last).toMatchObject({
      type: 'PipelinePaused',
      reason: expect.stringContaining('3 workers have died here'),
    });
  });
});

function count({ engine }: TestCluster, type: RunEvent['type']): number {
  return engine.events.filter((event) => event.type === type).length;
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}
