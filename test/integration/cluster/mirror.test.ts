import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deliver } from '../../../src/cluster/deliver.js';
import { RunMirror } from '../../../src/cluster/mirror/run-mirror.js';
import { readJournal } from '../../../src/journal/journal.js';
import { matchAnswer } from '../../../src/run/questions/match-answer.js';
import type { RunOptions } from '../../../src/run/run.js';
import { requestRun } from '../../../src/run-directory/run-requests.js';
import { deliverAnswer } from '../../../src/setup/deliver-answer.js';
import { type AskedQuestion, questionsOf } from '../../../src/setup/questions-of.js';
import { sayToStage } from '../../../src/setup/say-to-stage.js';
import { overviewOf } from '../../../src/view/run-overview.js';
import { summarizeRun } from '../../../src/view/summarize-run.js';
import { submitted } from '../../cluster/harness.js';
import { MemoryRun, onWorker } from '../../cluster/memory-cluster.js';
import { pipeline } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

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

async function mirrored(dot: string, options: RunOptions = {}) {
  const cluster = await submitted(dot, options);
  const directory = path.join(temporaryDirectory(), 'run');
  const run = new MemoryRun(cluster);
  const notices: string[] = [];
  const open = () => RunMirror.open(run, directory, { onNotice: (notice) => void notices.push(notice) });
  const mirror = open();
  onTestFinished(() => mirror.close());
  return {
    cluster,
    directory,
    run,
    mirror,
    open,
    notices,
    status: () => overviewOf(directory, Date.now()).status,
  };
}

async function until<Found>(find: () => Found | undefined | false): Promise<Found> {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function asked(directory: string): Promise<AskedQuestion> {
  return until(() => questionsOf(overviewOf(directory, Date.now()))[0]);
}

function answer({ directory, question }: AskedQuestion, typed: string) {
  const answer = matchAnswer(question, typed);
  if (answer === undefined) throw new Error('the answer does not fit');
  return deliverAnswer(directory, question, answer);
}

describe('the mirror of a run', () => {
  test('has the journal, the status and what carries the run', async () => {
    const { cluster, directory, run, mirror, status } = await mirrored(gate, { simulate: true });
    run.carrier = { kind: 'queue', since: 500, awaits: undefined };
    await until(() => status() === 'queued');
    expect(summarizeRun(directory).status).toBe('queued');
    run.carrier = onWorker;
    const work = cluster.work();
    await until(() => status() !== 'queued');
    await work;
    run.carrier = { kind: 'over' };
    await until(() => status() === 'success');
    const { events } = readJournal(path.join(directory, 'events.jsonl'));
    expect(events).toEqual(cluster.engine.events);
    expect(existsSync(path.join(directory, 'lock'))).toBe(false);
    expect(summarizeRun(directory)).toMatchObject({ status: 'success', steps: 2, current_node: 'exit' });
    await mirror.close();
  });

  test('is the same, whichever of several processes writes it', async () => {
    const { cluster, directory, run, mirror, open } = await mirrored(gate);
    const other = open();
    void cluster.work();
    const question = await asked(directory);
    expect(await answer(question, 'Y')).toBe('taken');
    await until(() => run.history.view.status === 'success');
    await Promise.all([mirror.close(), other.close()]);
    const again = open();
    await again.close();
    const { events } = readJournal(path.join(directory, 'events.jsonl'));
    expect(events).toEqual(cluster.engine.events);
  });

  test('names the workers of stages of a spread run', async () => {
    const { cluster, directory, run } = await mirrored(gate);
    run.stageWorkers = new Map([
      ['0.1', 'host-8-def'],
      ['child/1.1', 'host-9-123'],
    ]);
    void cluster.work();
    await asked(directory);
    const workers = (): readonly (string | null)[] =>
      overviewOf(directory, Date.now()).stages.map(({ worker }) => worker);
    const { index } = run.history.view.current.get('') ?? {};
    expect(index).toBeGreaterThan(0);
    expect(workers()).toEqual([null]);
    run.stageWorkers = new Map([[`${index}.1`, 'host-8-def']]);
    await until(() => workers()[0] !== null);
    expect(workers()).toEqual(['host-8-def']);
    run.stageWorkers = new Map();
    await until(() => workers()[0] === null);
  });

  test('names the worker that has the run', async () => {
    const { cluster, directory } = await mirrored(gate);
    void cluster.work();
    await asked(directory);
    expect(overviewOf(directory, Date.now())).toMatchObject({
      status: 'running',
      process: { pid: 7, host: 'host', worker: 'host-7-abc', since: '1970-01-01T00:00:01.000Z' },
    });
  });

  test('passes on an answer, once, and its refusal', async () => {
    const { cluster, directory, run } = await mirrored(gate);
    void cluster.work();
    const question = await asked(directory);
    await run.send({ kind: 'answer', question: question.question.id, answer: 'N' });
    await expect(answer(question, 'Y')).rejects.toThrow(
      /the answer to "g" was not taken: (?:no such question is open|it came too late)/,
    );
    await until(() => run.history.view.status === 'success');
    expect(run.history.view.statuses.has('yes')).toBe(false);
  });

  test('keeps an answer to a paused run until the run is resumed', async () => {
    const { cluster, directory, mirror, open, run, status } = await mirrored(gate);
    void cluster.work();
    const question = await asked(directory);
    expect(requestRun(directory, { kind: 'pause', mode: 'now', reason: 'lunch' })?.cluster?.worker).toBe(
      'host-7-abc',
    );
    await until(() => status() === 'paused');
    expect(await answer(question, 'Y')).toBe('kept');
    await mirror.close();
    // The next command finds the answer too, and sends no second one.
    const next = open();
    expect(questionsOf(overviewOf(directory, Date.now()))[0]?.isAnswered).toBe(true);
    expect(await deliver(run, { kind: 'resume' })).toBeUndefined();
    await until(() => status() === 'success');
    await next.close();
    const refusals = [...run.history.receipts.values()].map(({ refusal }) => refusal);
    expect(refusals.filter((refusal) => refusal !== undefined)).toEqual([]);
    expect(existsSync(path.join(directory, 'open-questions'))).toBe(false);
  });

  test('passes on a request that is left at the last moment', async () => {
    const { cluster, directory, mirror } = await mirrored(gate);
    const work = cluster.work();
    await asked(directory);
    requestRun(directory, { kind: 'cancel' });
    await mirror.close();
    expect((await work).view.status).toBe('cancelled');
  });

  test('brings back why words are refused', async () => {
    const { cluster, directory } = await mirrored(gate);
    void cluster.work();
    await asked(directory);
    await expect(sayToStage(directory, { stage: 'g', text: 'hurry' })).rejects.toThrow('"g"');
  });

  test('ends with an error if the database is gone', async () => {
    const { run, mirror } = await mirrored(gate);
    run.problem = new Error('connection refused');
    await expect(mirror.broken).rejects.toThrow('the database of the run cannot be used: connection refused');
  });

  test('a run that the engine gave up is interrupted, and resumes', async () => {
    const { cluster, directory, run, status } = await mirrored(gate);
    const first = cluster.work().catch(() => undefined);
    await asked(directory);
    cluster.engine.die();
    run.carrier = { kind: 'failed', problem: 'boom' };
    await until(() => status() === 'interrupted');
    void first;
    void cluster.work();
    await deliver(run, { kind: 'resume' });
    expect(run.carrier).toBe(onWorker);
    await until(() => status() === 'running');
    expect(JSON.parse(readFileSync(path.join(directory, 'lock'), 'utf8'))).toMatchObject({
      cluster: { worker: 'host-7-abc' },
    });
  });
});
