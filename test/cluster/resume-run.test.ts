import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { dataOfSettings, settingsOfData } from '../../src/run-directory/settings-data.js';
import { emptyScript } from '../../src/run-directory/simulation-script.js';
import { noRedactor } from '../../src/secrets/redactor.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { submitted, type TestCluster, WorkerDied } from './harness.js';

const line = pipeline('a', 'b', 'c', 'start -> a -> b -> c -> exit');

/** Stages of which one fails until it is told not to, and a list of what was done with which greeting. */
function failing(broken: string) {
  const done: string[] = [];
  const failures = new Set([broken]);
  const handlers = new HandlerRegistry().register('codergen', {
    execute: async ({ node, context }) => {
      done.push(`${node.id} ${context.get('inputs.greeting') ?? ''}`.trimEnd());
      return { status: failures.has(node.id) ? 'fail' : 'success' };
    },
  });
  return { done, failures, handlers };
}

function started({ engine }: TestCluster): readonly string[] {
  return engine.events.flatMap((event) => (event.type === 'StageStarted' ? [event.node_id] : []));
}

describe('a run that has ended', () => {
  test('continues where it failed, once it is resumed', async () => {
    const { done, failures, handlers } = failing('b');
    const cluster = await submitted(line, { handlers });
    expect((await cluster.work()).view.status).toBe('fail');
    failures.clear();
    expect((await cluster.work()).view.status).toBe('fail');
    cluster.engine.send({ kind: 'resume', id: 'go' });
    const { view, receipts } = await cluster.work();
    expect(view.status).toBe('success');
    expect(done).toEqual(['a', 'b', 'b', 'c']);
    expect(receipts.get('go')).toEqual({ id: 'go' });
    // Without anything to do, a repetition finds the same end.
    expect((await cluster.work({ mostSteps: 0 })).view.status).toBe('success');
  });

  test('continues on another worker if the first one dies at any step of that', async () => {
    for (let mostSteps = 0; mostSteps < 5; mostSteps += 1) {
      const { failures, handlers } = failing('b');
      const cluster = await submitted(line, { handlers });
      await cluster.work();
      failures.clear();
      cluster.engine.send({ kind: 'resume', id: 'go' });
      await cluster.work({ mostSteps }).catch((error: unknown) => expect(error).toBeInstanceOf(WorkerDied));
      expect((await cluster.work()).view.status).toBe('success');
      const settled = cluster.engine.events.filter(({ type }) => type === 'StageCompleted');
      expect(settled.length).toBe(5);
    }
  });

  test('may fail again, and be resumed again, from a node too', async () => {
    const { failures, handlers } = failing('b');
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    cluster.engine.send({ kind: 'resume', id: 'one' });
    expect((await cluster.work()).view.status).toBe('fail');
    failures.clear();
    cluster.engine.send({ kind: 'resume', id: 'two', settings: { from: 'a' } });
    expect((await cluster.work()).view.status).toBe('success');
    expect(started(cluster)).toEqual(['start', 'a', 'b', 'b', 'a', 'b', 'c', 'exit']);
    cluster.engine.send({ kind: 'resume', id: 'three', settings: { from: 'c' } });
    expect((await cluster.work()).view.status).toBe('success');
    expect(started(cluster).slice(-2)).toEqual(['c', 'exit']);
  });

  test('refuses what does not fit it, and ends again', async () => {
    const { handlers } = failing('b');
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    const { length } = cluster.engine.events;
    cluster.engine.send({ kind: 'resume', id: 'go', settings: { from: 'nowhere' } });
    const { view, receipts, problem } = await cluster.work();
    expect([view.status, problem]).toEqual(['fail', undefined]);
    expect(receipts.get('go')?.refusal).toContain('nowhere');
    expect(cluster.engine.events.length).toBe(length);
  });

  test('ignores what was said to it too late', async () => {
    const { failures, handlers } = failing('b');
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    failures.clear();
    cluster.engine.send({ kind: 'cancel', id: 'late' });
    cluster.engine.send({ kind: 'resume', id: 'go' });
    const { view, receipts } = await cluster.work();
    expect(view.status).toBe('success');
    expect(receipts.get('late')?.refusal).toBe('the run has ended');
  });
});

describe('the settings of a resumed run', () => {
  test.each([2000, 1])('change inputs, and the manifest, in segments of %d inputs', async (segmentInputs) => {
    const { done, failures, handlers } = failing('b');
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    failures.clear();
    const settings = { inputs: { greeting: 'hello' }, record: true, strictValues: true };
    cluster.engine.send({ kind: 'resume', id: 'go', settings });
    await cluster.work({ segmentInputs, mostSteps: 2 }).catch(() => undefined);
    const { run, settings: lasting } = await cluster.work({ segmentInputs });
    expect(done.slice(0, 3)).toEqual(['a', 'b', 'b hello']);
    expect(done.at(-1)).toBe('c hello');
    expect(lasting).toMatchObject({ record: true, strictValues: true });
    expect(JSON.parse(run.manifest).options.record).toBe(true);
    expect(JSON.parse(cluster.submission.manifest).options.record).toBeUndefined();
  });

  test('hold for the worker that takes the run over, but it does not begin at the node again', async () => {
    const { failures, handlers } = failing('c');
    const cluster = await submitted(line, { handlers });
    await cluster.work();
    failures.clear();
    const settings = {
      from: 'a',
      autoApprove: true,
      script: { nodes: { b: [{ outcome: 'success' }, { outcome: 'success' }] } },
    };
    cluster.engine.send({ kind: 'resume', id: 'go', settings });
    await cluster.work({ mostSteps: 3 }).catch(() => undefined);
    const { view, settings: lasting } = await cluster.work();
    expect(view.status).toBe('success');
    expect(lasting.from).toBeUndefined();
    expect(lasting.autoApprove).toBe(true);
    expect(started(cluster).filter((id) => id === 'a').length).toBe(2);
  });

  const again = pipeline(
    'g [shape=hexagon, label="Ship it?"]',
    'work',
    'start -> g',
    'g -> exit [label="[Y] Yes"]',
    'g -> work [label="[N] No"]',
    'work -> g',
  );
  const answers = ['N', 'N', 'Y'];

  /** Lets one worker after the other have a run, each of which dies after so many steps, until the run rests or has ended. */
  async function workInTurns(cluster: TestCluster, mostSteps: number, segmentInputs: number) {
    for (let workers = 0; workers < 20; workers += 1) {
      const { length } = cluster.engine.batches;
      await cluster.work({ mostSteps, segmentInputs }).catch((error: unknown) => {
        if (!(error instanceof WorkerDied)) throw error;
      });
      if (cluster.engine.batches.length < length + mostSteps) return;
    }
    expect.fail('the run has no end');
  }

  function chosen({ engine }: TestCluster): readonly string[] {
    return engine.events.flatMap((event) =>
      event.type === 'InterviewCompleted' ? [String(event.answer.value)] : [],
    );
  }

  test.each([
    [3, 2000],
    [3, 2],
    [5, 2000],
  ])(
    'have scripted answers in their order, whoever asks, after %d steps of each',
    async (mostSteps, segmentInputs) => {
      const { handlers } = failing('');
      const cluster = await submitted(again, { handlers, answers: new Map([['g', answers]]) });
      await workInTurns(cluster, mostSteps, segmentInputs);
      expect(chosen(cluster)).toEqual(answers);
      cluster.engine.send({
        kind: 'resume',
        id: 'go',
        settings: dataOfSettings({ from: 'work', answers: new Map([['g', answers]]) }, noRedactor),
      });
      await workInTurns(cluster, mostSteps, segmentInputs);
      expect(chosen(cluster)).toEqual([...answers, ...answers]);
    },
  );

  test('have those of a stage of a child in their order', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), again);
    const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');
    const { handlers } = failing('');
    const cluster = await submitted(parent, { handlers, workingDirectory: home }, home);
    const { engine } = cluster;
    const settings = dataOfSettings({ answers: new Map([['sub/g', answers]]) }, noRedactor);
    const isPaused = new Set<string>();
    engine.onRecorded = ({ records }) => {
      for (const { place, events } of records)
        for (const { type } of events) {
          if (type === 'InterviewStarted' && isPaused.size === 0)
            engine.send({ kind: 'pause', id: 'stop', mode: 'now', reason: 'later' });
          if (type !== 'PipelinePaused' || place !== undefined || isPaused.size > 0) continue;
          isPaused.add(type);
          engine.send({ kind: 'resume', id: 'go', settings });
        }
    };
    await workInTurns(cluster, 5, 2000);
    const ofChild = cluster.engine.batches.flatMap(({ records }) =>
      records.flatMap(({ events }) =>
        events.flatMap((event) => (event.type === 'InterviewCompleted' ? [String(event.answer.value)] : [])),
      ),
    );
    expect(ofChild).toEqual(answers);
  });

  test('are the same after their way through the database', () => {
    const settings = {
      simulate: false,
      answers: new Map([['gate', ['Y', 'N']]]),
      script: { ...emptyScript, answers: new Map([['gate', ['Y']]]) },
      inputs: { list: [1, 2], key: 'hidden' },
      budgetUsd: 'none',
      stageBudgets: { a: { usd: 2 } },
      from: 'a',
    } as const;
    const data = JSON.parse(JSON.stringify(dataOfSettings(settings, noRedactor)));
    expect(settingsOfData(data)).toEqual(settings);
  });
});
