import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/cluster/durable-run.js';
import { type HistorySeed, RunHistory } from '../../src/cluster/run-history.js';
import { readJournal } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import type { FileSystem } from '../../src/run-directory/file-system.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
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

function eventsOf({ records }: Batch): readonly RunEvent[] {
  return records.flatMap(({ events }) => events);
}

function latestFirst(directory: string) {
  const timeOf = (name: string): number => statSync(path.join(directory, name)).mtimeMs;
  return (one: string, other: string): number => timeOf(other) - timeOf(one);
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

/** Hashes of the parts of the journal that segments have ended with. */
function journalParts({ engine, store }: TestCluster): readonly string[] {
  const last = engine.segments.findLast(({ segment }) => segment !== null)?.segment?.seed ?? '';
  const seed = deserialize(gunzipSync(store.contents.get(last) ?? Buffer.of())) as HistorySeed;
  return seed.run.past.parts;
}

/** Resolves when a question is recorded. */
async function asked({ engine }: TestCluster): Promise<string> {
  for (;;) {
    for (const event of engine.events) if (event.type === 'InterviewStarted') return event.question.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('segments of a run', () => {
  const long = pipeline(...'abcdef', `start -> ${[...'abcdef'].join(' -> ')} -> exit`);

  test('begin with what the run has come to, without its events', async () => {
    const { counts, handlers } = counted();
    const cluster = await submitted(long, { handlers });
    await cluster.work({ mostSteps: 6, segmentInputs: 2 }).catch(died);
    const { engine } = cluster;
    const [segment] = engine.segments.slice(-1);
    const before = engine.batches.slice(0, segment?.step).flatMap(eventsOf).length;
    const recorded = engine.events.length;
    const found: number[] = [];
    const { view, run } = await cluster.work({
      segmentInputs: 100,
      onLive: (_run, history) => void found.push(history.view.seq, history.run.events.length),
    });
    expect(before).toBeGreaterThan(0);
    expect(found).toEqual([recorded, recorded - before]);
    expect(view.status).toBe('success');
    expect(run.events).toEqual(engine.events.slice(before));
    expect([...counts.values()].filter((count) => count > 1)).toEqual([2]);
  });

  test('leave the journal on each worker whole', async () => {
    const cluster = await submitted(long, counted());
    await cluster.work({ mostSteps: 6, segmentInputs: 2 }).catch(died);
    const disks: FileSystem[] = [];
    await cluster.work({ segmentInputs: 2, onDisk: (disk) => void disks.push(disk) });
    const { events } = readJournal('/dev/null/worker/run/events.jsonl', disks[0]);
    expect(events).toEqual(cluster.engine.events);
  });

  test.each([6, 26])(
    'let a worker continue without the journal before them, of %d stages',
    async (stages) => {
      const { handlers } = counted();
      const loop = pipeline(
        ...['work', 'start -> work', 'work -> exit [condition="outcome=fail"]'],
        'work -> work [condition="outcome=success"]',
      );
      const cluster = await submitted(loop, { handlers, maxSteps: stages + 6 });
      await cluster.work({ mostSteps: stages, segmentInputs: 2 }).catch(died);
      const { engine, store } = cluster;
      const recorded = engine.batches.length;
      const journal = new Set(journalParts(cluster));
      const before: string[] = [];
      let letRead: () => void = () => undefined;
      const hasRecorded = new Promise<void>((resolve) => {
        letRead = resolve;
      });
      const { get } = store;
      store.get = async (hashes) => {
        if (hashes.some((sha256) => journal.has(sha256))) await hasRecorded;
        else if (engine.batches.length === recorded) before.push(...hashes);
        return get(hashes);
      };
      engine.onRecorded = () => letRead();
      const disks: FileSystem[] = [];
      const folded: number[] = [];
      const { view } = await cluster.work({
        segmentInputs: 100,
        onDisk: (disk) => void disks.push(disk),
        onLive: (_run, history) => void folded.push(history.run.events.length),
      });
      expect(view.failure?.reason).toContain(`has executed ${stages + 6} stages`);
      // The seed, and the fold of the journal.
      expect(before.length).toBe(2);
      expect(folded[0]).toBeLessThan(12);
      expect(journal.size).toBeGreaterThan(stages / 2 - 2);
      expect(readJournal('/dev/null/worker/run/events.jsonl', disks[0]).events).toEqual(engine.events);
    },
  );

  test('let a worker continue that cannot have the journal before them', async () => {
    const { handlers } = counted();
    const cluster = await submitted(long, { handlers });
    await cluster.work({ mostSteps: 6, segmentInputs: 2 }).catch(died);
    for (const sha256 of journalParts(cluster)) cluster.store.contents.delete(sha256);
    const problems: string[] = [];
    const { view } = await cluster.work({
      segmentInputs: 100,
      onProblem: (problem) => void problems.push(problem),
    });
    expect(view.status).toBe('success');
    expect(problems).toEqual([expect.stringContaining('its journal on this machine is not whole')]);
  });

  test('hold the children of the run too', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), long);
    const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const { counts, handlers } = counted();
    const cluster = await submitted(parent, { handlers, workingDirectory: home }, home);
    await cluster.work({ mostSteps: 6, segmentInputs: 2 }).catch(died);
    const { children, view } = await cluster.work({ segmentInputs: 2 });
    expect(view.status).toBe('success');
    const [[place = '', child] = []] = children;
    const whole = new RunHistory(cluster.submission);
    for (const batch of cluster.engine.batches) whole.add(batch);
    expect(child?.view).toEqual(whole.children.get(place)?.view);
    const [last = ''] = readdirSync(home)
      .filter((name) => name.startsWith('worker-'))
      .sort(latestFirst(home));
    const journal = readJournal(path.join(home, last, 'run', place, 'events.jsonl'));
    expect(journal.events).toEqual(whole.children.get(place)?.events);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([2]);
  });

  test('get an answer that came while nobody had the run', async () => {
    const { handlers } = counted();
    const cluster = await submitted(gate, { handlers });
    // The segment ends with the question.
    const { engine } = cluster;
    engine.onSegment = () => {
      if (engine.events.at(-1)?.type === 'InterviewStarted') engine.die();
    };
    const first = cluster.work({ segmentInputs: 0 }).catch(died);
    const question = await asked(cluster);
    engine.send({ kind: 'answer', id: 'one', question, answer: 'N' });
    await first;
    const { view, receipts } = await cluster.work({ segmentInputs: 0 });
    expect(view.status).toBe('success');
    expect(completed(engine.events)).toEqual(['start', 'g', 'no', 'exit']);
    expect(receipts.get('one')).toEqual({ id: 'one' });
  });

  test('go on where their end cannot be stored', async () => {
    const { counts, handlers } = counted();
    const cluster = await submitted(long, { handlers });
    const { put } = cluster.store;
    cluster.store.put = () => Promise.reject(new Error('full'));
    await cluster.work({ mostSteps: 4, segmentInputs: 2 }).catch(died);
    expect(cluster.engine.segments.map(({ segment }) => segment)).toContain(null);
    cluster.store.put = put;
    const { view } = await cluster.work({ segmentInputs: 2 });
    expect(view.status).toBe('success');
    expect(completed(cluster.engine.events)).toEqual(['start', ...'abcdef', 'exit']);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([2]);
  });

  test.each([
    [
      'of another version',
      ({ engine: { segments } }: TestCluster) => {
        for (const recorded of segments)
          recorded.segment = { seed: recorded.segment?.seed ?? '', version: '0.0.0' };
      },
    ],
    ['that is lost', ({ store }: TestCluster) => store.contents.clear()],
  ])('are repeated from the beginning of the run for a seed %s', async (_name, spoil) => {
    const { counts, handlers } = counted();
    const cluster = await submitted(long, { handlers });
    await cluster.work({ mostSteps: 6, segmentInputs: 2 }).catch(died);
    spoil(cluster);
    const history = await cluster.work({ segmentInputs: 100 });
    expect(history.view.status).toBe('success');
    expect(history.run.events).toEqual(cluster.engine.events);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([2]);
  });
});

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

  test('records at once what the log says of a stage that waits', async () => {
    let goOn: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const handlers = new HandlerRegistry().register('codergen', {
      execute: async ({ log }) => {
        log('info', 'waits for its turn');
        await turn;
        return { status: 'success' };
      },
    });
    const cluster = await submitted(pipeline('a', 'start -> a -> exit'), { handlers });
    const work = cluster.work();
    await until(() =>
      cluster.engine.events.some(
        (event) => event.type === 'LogAppended' && event.message === 'waits for its turn',
      ),
    );
    goOn();
    expect((await work).view.status).toBe('success');
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
    const first = cluster.work().catch(died);
    const question = await asked(cluster);
    // It dies when it is about to record what the answer leads to.
    cluster.engine.send({ kind: 'answer', id: 'one', question, answer: 'N' });
    cluster.engine.die();
    await first;
    expect(completed(cluster.engine.events)).toEqual(['start']);
    expect((await cluster.work()).view.status).toBe('success');
    expect(completed(cluster.engine.events)).toEqual(['start', 'g', 'no', 'exit']);
  });

  test('keeps an answer to the gate of a child until the worker that takes over has come that far', async () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(path.join(workingDirectory, 'child.dot'), gate);
    const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const cluster = await submitted(parent, { ...counted(), workingDirectory }, workingDirectory);
    const isAsked = (): boolean =>
      cluster.engine.batches.some(({ records }) =>
        records.some(({ events }) => events.some(({ type }) => type === 'InterviewStarted')),
      );
    void cluster.work().catch(died);
    await until(isAsked);
    cluster.engine.die();
    cluster.engine.send({ kind: 'answer', id: 'one', question: 'sub/g', answer: 'N' });
    cluster.engine.send({ kind: 'answer', id: 'other', question: 'sub/other', answer: 'N' });
    // This one comes while the first is looking for its question, and must not be ahead of it.
    cluster.engine.send({ kind: 'answer', id: 'late', question: 'sub/g', answer: 'Y' });
    const { view, receipts } = await cluster.work();
    expect(view.status).toBe('success');
    expect(receipts.get('one')).toEqual({ id: 'one' });
    for (const id of ['other', 'late'])
      expect(receipts.get(id)).toEqual({ id, refusal: 'no such question is open' });
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

  test('takes an answer that comes before a resumed run has begun', async () => {
    const { handlers } = counted();
    const cluster = await submitted(gate, { handlers });
    let question = '';
    const work = cluster.work({
      onPrepare: async () => {
        if (question === '') return;
        cluster.engine.send({ kind: 'answer', id: 'a', question, answer: 'Y' });
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      },
    });
    question = await asked(cluster);
    cluster.engine.send({ kind: 'pause', id: 'p', mode: 'after_stage', reason: 'lunch' });
    await until(() => count(cluster, 'PipelinePaused') === 1);
    cluster.engine.send({ kind: 'resume', id: 'r' });
    expect((await work).view.status).toBe('success');
  });

  test('is cancelled by a message', async () => {
    const cluster = await submitted(gate, {});
    const work = cluster.work();
    await asked(cluster);
    cluster.engine.send({ kind: 'cancel', id: 'c' });
    expect((await work).view.status).toBe('cancelled');
  });

  test('is cancelled where it may not run, also before it has begun', async () => {
    const cluster = await submitted(gate, {});
    const work = cluster.work({
      onPrepare: async (purpose) => {
        if (purpose === 'continue') throw new Error('runs of the tenant work elsewhere');
      },
    });
    await until(() => cluster.engine.batches.some(({ problem }) => problem !== undefined));
    cluster.engine.send({ kind: 'cancel', id: 'c' });
    expect((await work).view.status).toBe('cancelled');
    const begun = cluster.engine.events.flatMap((event) =>
      event.type === 'StageStarted' ? event.node_id : [],
    );
    expect(begun).toEqual(['start']);
  });

  test('says why it cannot be cancelled', async () => {
    const cluster = await submitted(gate, {});
    const refusal = async (): Promise<never> => {
      throw new Error('there is no plugin');
    };
    const work = cluster.work({ onPrepare: refusal }).catch(died);
    await until(() => cluster.engine.batches.some(({ problem }) => problem !== undefined));
    cluster.engine.send({ kind: 'cancel', id: 'c' });
    const receipts = () => cluster.engine.batches.flatMap((batch) => batch.receipts ?? []);
    await until(() => receipts().length > 0);
    expect(receipts()).toEqual([{ id: 'c', refusal: 'there is no plugin' }]);
    cluster.engine.die();
    cluster.engine.send({ kind: 'pause', id: 'p', mode: 'now', reason: 'the end of the test' });
    await work;
  });

  test('is cancelled with the children of its stages', async () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(path.join(workingDirectory, 'child.dot'), gate);
    const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const cluster = await submitted(parent, { ...counted(), workingDirectory }, workingDirectory);
    const work = cluster.work();
    const ofChild = (): readonly RunEvent[] =>
      cluster.engine.batches.flatMap(({ records }) =>
        records.flatMap(({ place, events }) => (place === 'sub/child' ? events : [])),
      );
    await until(() => ofChild().some(({ type }) => type === 'InterviewStarted'));
    cluster.engine.send({ kind: 'cancel', id: 'c' });
    expect((await work).view.status).toBe('cancelled');
    expect(ofChild().at(-1)?.type).toBe('PipelineCancelled');
  });

  test('141: repeats a stage with the same key, and asks first if it has idempotent=false', async () => {
    const keys: string[] = [];
    const handlers = new HandlerRegistry().register('codergen', {
      execute: async ({ idempotencyKey }) => {
        // Each stage takes its first worker with it.
        if (!keys.includes(idempotencyKey)) cluster.engine.die();
        keys.push(idempotencyKey);
        return { status: 'success' };
      },
    });
    const cluster = await submitted(pipeline('a', 'b [idempotent=false]', 'start -> a -> b -> exit'), {
      handlers,
    });
    await cluster.work().catch(died);
    await cluster.work().catch(died);
    const [a, b] = new Set(keys);
    expect(keys).toEqual([a, a, b]);
    const third = cluster.work();
    const question = await asked(cluster);
    expect(keys.length).toBe(3);
    cluster.engine.send({ kind: 'answer', id: 'again', question, answer: 'R' });
    expect((await third).view.status).toBe('success');
    expect(keys).toEqual([a, a, b, b]);
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

  test('waits for a person where a stage kills its workers, while another branch gets further', async () => {
    const steps = Array.from({ length: 12 }, (_, index) => `x${index}`);
    const dot = pipeline(
      'fan [shape=component]; meet [shape=tripleoctagon]; b',
      ...steps,
      `start -> fan; fan -> b -> meet; fan -> ${steps.join(' -> ')} -> meet; meet -> exit`,
    );
    let executions = 0;
    const handlers = new HandlerRegistry().register('codergen', {
      execute: async ({ node }) => {
        if (node.id !== 'b') return { status: 'success' };
        executions += 1;
        const before = completed(cluster.engine.events).length;
        await until(() => completed(cluster.engine.events).length > before);
        cluster.engine.die();
        return { status: 'success' };
      },
    });
    const cluster = await submitted(dot, { handlers });
    for (let worker = 1; worker <= 8; worker += 1) {
      const life = cluster.work().catch(died);
      await Promise.race([life, until(() => cluster.engine.events.at(-1)?.type === 'PipelinePaused')]);
    }
    expect(executions).toBe(5);
    expect(cluster.engine.events.at(-1)).toMatchObject({
      type: 'PipelinePaused',
      reason: expect.stringContaining(
        '4 workers have died, one after the other, while the stage "b" was running',
      ),
    });
  });
});

function count({ engine }: TestCluster, type: RunEvent['type']): number {
  return engine.events.filter((event) => event.type === type).length;
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}
