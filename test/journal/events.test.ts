import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventSchemas } from '../../src/journal/event-schemas.js';
import { readJournal } from '../../src/journal/journal.js';
import { run } from '../../src/run/run.js';
import { linkOf } from '../../src/run-directory/hashed-line.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { eventsOf, fileOf, jsonOf, pipeline, runPipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const line = pipeline('goal="Ship it"', 'a', 'b', 'start -> a -> b -> exit');

describe('74, 74a, 94: events', () => {
  test('number the visits, and carry label, visit and attempt', async () => {
    const dot = pipeline('a [label="The first", retry_target=a]', 'start -> a -> exit');
    const { events } = await runPipeline(dot, { script: { a: [fail, {}] } });
    const started = eventsOf(events, 'StageStarted');
    expect(
      started.map(({ node_id, name, index, visit, attempt }) => [node_id, name, index, visit, attempt]),
    ).toEqual([
      ['start', 'start', 0, 1, 1],
      ['a', 'The first', 1, 1, 1],
      ['a', 'The first', 2, 2, 1],
      ['exit', 'exit', 3, 1, 1],
    ]);
  });

  test('are numbered from 1 without a gap, and are the lines of the journal', async () => {
    const { events, directory, result } = await runPipeline(line, { script: { a: { delay: '1s' } } });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const lines = fileOf(directory, 'events.jsonl').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(linkOf(line).text))).toEqual(events);
    for (const event of events) {
      expect(event).toMatchObject({ run_id: result.run_id, description: expect.stringMatching(/\S/) });
    }
    expect(events[0]).toMatchObject({
      type: 'PipelineStarted',
      name: 'G',
      id: result.run_id,
      goal: 'Ship it',
    });
    expect(events.at(-1)).toMatchObject({ type: 'PipelineCompleted', duration: 1000, artifact_count: 0 });
  });

  test('PipelineFailed says why and after how long', async () => {
    const { events } = await runPipeline(line, { script: { a: { ...fail, delay: '3s' } } });
    expect(events.at(-1)).toMatchObject({
      type: 'PipelineFailed',
      error: 'red',
      duration: 3000,
      node_id: 'a',
    });
  });

  test.each([
    ['PipelineStarted', 'name id'],
    ['PipelineCompleted', 'duration artifact_count'],
    ['PipelineFailed', 'error duration'],
    ['StageStarted', 'name index'],
    ['StageCompleted', 'name index duration'],
    ['StageFailed', 'name index error will_retry'],
    ['StageRetrying', 'name index attempt delay'],
    ['ParallelStarted', 'branch_count'],
    ['ParallelBranchStarted', 'branch index'],
    ['ParallelBranchCompleted', 'branch index duration success'],
    ['ParallelCompleted', 'duration success_count failure_count'],
    ['InterviewStarted', 'question stage'],
    ['InterviewCompleted', 'question answer duration'],
    ['InterviewTimeout', 'question stage duration'],
    ['CheckpointSaved', 'node_id'],
    ['StageSkipped', 'name index'],
    ['EdgeSelected', 'from to'],
    ['LoopRestarted', ''],
    ['PipelineCancelled', ''],
  ] as const)('74, 9.6: %s has the fields %j, and those of every event', (type, fields) => {
    const known: Readonly<Record<string, { isOptional(): boolean }>> = eventSchemas()[type].shape;
    const needed = [
      'type',
      'run_id',
      'seq',
      'timestamp',
      'description',
      ...fields.split(' ').filter(Boolean),
    ];
    expect(needed.filter((field) => known[field]?.isOptional() !== false)).toEqual([]);
  });

  test('74: StageFailed.will_retry precedes StageRetrying, and nothing follows the last failure', async () => {
    const dot = pipeline('a [max_retries=2]', 'start -> a -> exit');
    const { events } = await runPipeline(dot, { script: { a: [fail, fail, fail] } });
    const about = events.flatMap((event) => {
      if (event.type === 'StageFailed') return [`failed ${event.attempt} ${event.will_retry}`];
      return event.type === 'StageRetrying' ? [`retrying ${event.attempt}`] : [];
    });
    expect(about).toEqual(['failed 1 true', 'retrying 2', 'failed 2 true', 'retrying 3', 'failed 3 false']);
  });

  test('74a: a retry has the index of its visit, another visit the next one', async () => {
    const dot = pipeline('a [max_retries=1, retry_target=a]', 'start -> a -> exit');
    const { events } = await runPipeline(dot, { script: { a: [fail, fail, {}] } });
    const started = eventsOf(events, 'StageStarted').filter(({ node_id }) => node_id === 'a');
    expect(started.map(({ index, visit, attempt }) => [index, visit, attempt])).toEqual([
      [1, 1, 1],
      [1, 1, 2],
      [2, 2, 1],
    ]);
  });

  test('94: what happens in a branch says in which, and what happens outside says nothing', async () => {
    const dot = pipeline(
      'split [shape=component]',
      'one',
      'two',
      'join [shape=tripleoctagon]',
      'start -> split',
      'split -> one -> join',
      'split -> two -> join',
      'join -> exit',
    );
    const { events } = await runPipeline(dot);
    const branchOf = (nodeId: string): readonly unknown[] =>
      events
        .filter((event) => 'attempt' in event && event.node_id === nodeId)
        .map((event) => ('branch' in event ? event.branch : 'none'));
    expect(branchOf('one')).toEqual(['one', 'one']);
    expect(branchOf('two')).toEqual(['two', 'two']);
    expect(branchOf('join')).toEqual(['none', 'none']);
    expect(new Set(branchOf('split'))).toEqual(new Set(['none']));
    const ended = eventsOf(events, 'ParallelBranchCompleted');
    expect(ended.map(({ branch, index, success }) => [branch, index, success]).toSorted()).toEqual([
      ['one', 0, true],
      ['two', 1, true],
    ]);
    expect(eventsOf(events, 'ParallelStarted')).toMatchObject([{ branch_count: 2 }]);
    expect(eventsOf(events, 'ParallelCompleted')).toMatchObject([{ success_count: 2, failure_count: 0 }]);
  });

  test('37: a skipped stage has an event of its own', async () => {
    const { events, directory } = await runPipeline(line, { script: { a: { outcome: 'skipped' } } });
    expect(eventsOf(events, 'StageSkipped')).toMatchObject([{ node_id: 'a' }]);
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({ completed_nodes: ['start', 'a', 'b'] });
    expect(Object.keys(jsonOf(directory, 'checkpoint.json').node_outcomes)).toEqual(['start', 'b']);
  });

  test('an observer that throws disturbs nobody', async () => {
    const seen: string[] = [];
    const { result, events } = await runPipeline(line, {
      onEvent: ({ type }) => {
        seen.push(type);
        throw new Error('the screen is gone');
      },
    });
    expect(result.status).toBe('success');
    expect(seen.length).toBe(events.length);
    expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toEqual([
      'an observer of the run threw: the screen is gone',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });
});

describe('9.6: observers', () => {
  test('one whose promise is rejected disturbs nobody, and is told of once', async () => {
    const directory = path.join(temporaryDirectory(), 'run');
    const result = await run(line, {
      clock: virtualClock(),
      script: readScript({ nodes: { a: { delay: '1s' } } }, 'the test'),
      runDirectory: directory,
      onEvent: async ({ seq }) => {
        await Promise.resolve();
        throw new Error(`lost ${seq}`);
      },
    });
    expect(result.status).toBe('success');
    const { events } = readJournal(path.join(directory, 'events.jsonl'));
    expect(eventsOf(events, 'LogAppended')).toMatchObject([
      { level: 'warning', message: 'an observer of the run threw: lost 1' },
    ]);
  });

  test('one that is told of an event finds it in the journal', async () => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const isWritten: boolean[] = [];
    const { events } = await runPipeline(line, {
      runDirectory,
      onEvent: ({ seq }) => {
        const lines = readFileSync(path.join(runDirectory, 'events.jsonl'), 'utf8').split('\n');
        isWritten.push(JSON.parse(lines[seq - 1] ?? '{}').seq === seq);
      },
    });
    expect(isWritten).toEqual(events.map(() => true));
  });
});

describe('99, §12 Quality: of the latest outcomes', () => {
  const script = (a: object) => ({ script: { a } });
  const going = pipeline(
    'on_failure=continue',
    'a',
    'start -> a -> exit',
    'a -> a [condition="outcome=retry"]',
  );
  test.each([
    ['clean', 'success', script({})],
    ['clean', 'success', script({ outcome: 'skipped' })],
    ['degraded', 'success', script({ outcome: 'partial_success' })],
    ['degraded', 'success', script(fail)],
    ['failed', 'fail', { script: { exit: fail } }],
  ])('%s', async (quality, status, setup) => {
    expect((await runPipeline(going, setup)).result).toMatchObject({ quality, status });
  });

  test('the latest outcome of a stage counts', async () => {
    const dot = pipeline('a [retry_target=a]', 'start -> a -> exit');
    expect((await runPipeline(dot, { script: { a: [fail, {}] } })).result.quality).toBe('clean');
  });
});
