import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { graphHash } from '../../src/journal/graph-hash.js';
import { readJournal } from '../../src/journal/journal.js';
import { initialState } from '../../src/machine/state.js';
import { missingBackendNotice } from '../../src/run/provided-handlers.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  pipeline,
  programOf,
  resumePipeline,
  runOnDisk,
  type Setup,
} from './harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const line = pipeline('goal="Ship it"', 'a [label="The first"]', 'b', 'start -> a -> b -> exit');

describe('5.3, 66: checkpoint.json', () => {
  test("has the specification's keys and a few more", async () => {
    const { directory } = await runOnDisk(line, {
      script: { a: { context_updates: { x: [1, { y: null }] } } },
    });
    const checkpoint = jsonOf(directory, 'checkpoint.json');
    expect(checkpoint).toEqual({
      timestamp: '2026-01-01T00:00:00.000Z',
      current_node: 'exit',
      completed_nodes: ['start', 'a', 'b'],
      node_retries: { a: 0, b: 0, exit: 0, start: 0 },
      context: expect.objectContaining({
        'graph.goal': 'Ship it',
        x: [1, { y: null }],
        current_node: 'exit',
      }),
      logs: [missingBackendNotice],
      next_node: null,
      node_outcomes: {
        start: { status: 'success' },
        a: expect.objectContaining({ status: 'success', context_updates: { x: [1, { y: null }] } }),
        b: expect.objectContaining({ status: 'success' }),
      },
      status: 'success',
      restart: 0,
      seq: readJournal(path.join(directory, 'events.jsonl')).events.at(-1)?.seq,
      graph_hash: graphHash(programOf(line).graph),
      version: 1,
    });
  });

  test('66b: is saved after each node, with the node that comes next', async () => {
    const seen: unknown[] = [];
    const directory = path.join(temporaryDirectory(), 'run');
    const { events } = await runOnDisk(line, {
      runDirectory: directory,
      onEvent: (event) => {
        if (event.type !== 'CheckpointSaved') return;
        const { current_node, next_node, status } = jsonOf(directory, 'checkpoint.json');
        seen.push([event.node_id, current_node, next_node, status]);
      },
    });
    expect(seen).toEqual([
      ['start', 'start', 'a', 'running'],
      ['a', 'a', 'b', 'running'],
      ['b', 'b', 'exit', 'running'],
    ]);
    expect(events.at(-1)?.type).toBe('PipelineCompleted');
  });

  test('66b: of a failed run holds the failure', async () => {
    const { directory } = await runOnDisk(line, { script: { a: fail } });
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({
      status: 'fail',
      current_node: 'a',
      completed_nodes: ['start', 'a'],
      next_node: null,
      node_outcomes: { a: { status: 'fail', failure_reason: 'red' } },
    });
  });

  test('5.1: holds the run log', async () => {
    const dot = pipeline('a [retry_target=nobody]', 'start -> a -> exit');
    const { directory } = await runOnDisk(dot, { script: { a: fail } });
    expect(jsonOf(directory, 'checkpoint.json').logs).toEqual([
      expect.stringContaining('names "nobody", which is not a node'),
    ]);
  });
});

describe('66b: resuming', () => {
  test('a failed run executes the failed stage again, with fresh retries', async () => {
    const dot = pipeline('a [max_retries=1]', 'b', 'start -> a -> b -> exit');
    const { directory } = await runOnDisk(dot, { script: { a: [fail, fail, fail, {}] } });
    const { result, events } = await resumePipeline(directory);
    expect(result).toMatchObject({
      status: 'success',
      path: ['start', 'a', 'a', 'b', 'exit'],
      visits: { a: 2 },
    });
    expect(
      eventsOf(events, 'StageStarted').map(({ node_id, attempt, visit }) => [node_id, attempt, visit]),
    ).toEqual([
      ['a', 1, 2],
      ['a', 2, 2],
      ['b', 1, 1],
      ['exit', 1, 1],
    ]);
  });

  test('a failed run runs the failed stage although its max_visits is used up: that is why people resume', async () => {
    const dot = pipeline('a [max_visits=1]', 'start -> a -> exit');
    const { directory } = await runOnDisk(dot, { script: { a: [fail, {}] } });
    expect((await resumePipeline(directory)).result.status).toBe('success');
  });

  test.each([
    ['inherited', 'd -> exit [condition="outcome=success"]'],
    ['met a hole in the routing', 'd -> exit [condition="context.x=1"]'],
  ])('a run whose diamond %s executes the stage before it', async (_what, edge) => {
    const dot = pipeline('a', 'd [shape=diamond]', 'start -> a -> d', edge);
    const first = edge.includes('context') ? {} : fail;
    const { directory } = await runOnDisk(dot, {
      script: { a: [first, { context_updates: { x: 1 } }] },
    });
    expect((await resumePipeline(directory)).result).toMatchObject({
      status: 'success',
      path: ['start', 'a', 'd', 'a', 'd', 'exit'],
    });
  });

  test('a run that succeeded does nothing and gives its result again', async () => {
    const { result, directory } = await runOnDisk(line);
    const journal = fileOf(directory, 'events.jsonl');
    const resumed = await resumePipeline(directory);
    expect(resumed.result).toEqual(result);
    expect(resumed.events).toEqual([]);
    expect(fileOf(directory, 'events.jsonl')).toBe(journal);
  });

  test('76: a cancelled run continues', async () => {
    const cancelling = new AbortController();
    const { result, directory, events } = await runOnDisk(line, {
      script: { a: { delay: '1h' }, b: {} },
      signal: cancelling.signal,
      onEvent: (event) => {
        if (event.type === 'StageStarted' && event.node_id === 'a') setImmediate(() => cancelling.abort());
      },
    });
    expect(result).toMatchObject({ status: 'cancelled', path: ['start', 'a'], completed_nodes: ['start'] });
    expect(events.at(-1)?.type).toBe('PipelineCancelled');
    expect(jsonOf(directory, 'checkpoint.json').status).toBe('cancelled');
    const resumed = await resumePipeline(directory);
    expect(resumed.result).toMatchObject({ status: 'success', path: ['start', 'a', 'b', 'exit'] });
    expect(eventsOf(resumed.events, 'StageStarted')[0]).toMatchObject({
      node_id: 'a',
      visit: 1,
      resumed: true,
    });
  });

  test('76: a run that was cancelled before it began does nothing', async () => {
    const { result } = await runOnDisk(line, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'cancelled', completed_nodes: [] });
  });

  test('a run that was paused by its signal continues', async () => {
    const pausing = new AbortController();
    const { result, directory } = await runOnDisk(line, {
      script: { a: { delay: '1h' } },
      pauseSignal: pausing.signal,
      onEvent: (event) => {
        if (event.type === 'StageStarted' && event.node_id === 'a') setImmediate(() => pausing.abort());
      },
    });
    expect(result).toMatchObject({ status: 'paused', paused_reason: 'interrupted' });
    expect((await resumePipeline(directory)).result).toMatchObject({ status: 'success' });
  });

  test('without options it is simulated, scripted and limited as it was started', async () => {
    const dot = pipeline('t [shape=parallelogram, tool_command="exit 1"]', 'a', 'start -> a -> t -> exit');
    const { directory, result } = await runOnDisk(dot, { simulate: true, maxSteps: 1, script: { a: {} } });
    expect(result).toMatchObject({ status: 'fail', failed_node: 't' });
    expect((await resumePipeline(directory)).result).toMatchObject({ status: 'fail', failed_node: 't' });
    expect((await resumePipeline(directory, { maxSteps: 2 })).result.status).toBe('success');
  });
});

describe('66c, 88: path and completed_nodes', () => {
  test('have every visit in order, failed ones too, retries once', async () => {
    const dot = pipeline(
      ...['a [max_retries=1]', 'b', 'start -> a -> b', 'b -> a [condition="outcome=fail"]'],
      'b -> exit [condition="outcome=success"]',
    );
    const { result } = await runOnDisk(dot, { script: { a: [fail, {}], b: [fail, {}] } });
    expect(result.path).toEqual(['start', 'a', 'b', 'a', 'b', 'exit']);
    expect(result.completed_nodes).toEqual(['start', 'a', 'b', 'a', 'b']);
    expect(result).toMatchObject({ steps: 4, visits: { start: 1, a: 2, b: 2, exit: 1 } });
  });
});

describe('72, 97: the context of a new run', () => {
  test('mirrors every graph attribute, typed, and holds the inputs twice', async () => {
    const dot = pipeline(
      ...['goal="G"', 'max_steps=9', 'timeout="15m"', 'require_goal_gates=true', 'custom=2.5'],
      'start -> exit',
    );
    const { result } = await runOnDisk(dot, { inputs: { n: 3, 'deep.key': { list: [1, null] } } });
    expect(result.context).toMatchObject({
      'graph.goal': 'G',
      'graph.max_steps': 9,
      'graph.timeout': '15m',
      'graph.require_goal_gates': true,
      'graph.custom': 2.5,
      n: 3,
      'inputs.n': 3,
      'deep.key': { list: [1, null] },
      'inputs.deep.key': { list: [1, null] },
    });
  });

  test('has graph.goal even where the graph has no goal', async () => {
    expect((await runOnDisk(pipeline('start -> exit'))).result.context['graph.goal']).toBe('');
  });

  test('5.1: current_node, outcome and preferred_label are those of the latest stage', async () => {
    const { result } = await runOnDisk(line, { script: { a: { preferred_label: 'Go' } } });
    expect(result.context).toMatchObject({ current_node: 'exit', outcome: 'success', preferred_label: 'Go' });
  });

  test('69: preferred_label stays until another stage prefers something', async () => {
    const script = { a: { preferred_label: 'Go' }, b: { preferred_label: '' } };
    expect((await runOnDisk(line, { script })).result.context.preferred_label).toBe('Go');
  });

  test('72a: current_node is set before the handler runs', async () => {
    const seen: unknown[] = [];
    await runOnDisk(line.replace('b\n', 'b [type=spy]\n'), {
      handlers: {
        spy: ({ context }) => {
          seen.push(context.get('current_node'), context.get('last_stage'), context.get('outcome'));
          return { status: 'success' };
        },
      },
    });
    expect(seen).toEqual(['b', 'a', 'success']);
  });
});

describe('§12 Statuses of a run: created, running, paused, success, fail, cancelled', () => {
  test('created, before anything has happened', () => {
    expect(initialState.status).toBe('created');
  });

  test.each<[status: string, script: object, setup: Setup]>([
    ['success', {}, {}],
    ['fail', { a: fail }, {}],
    ['paused', {}, { pauseSignal: AbortSignal.abort() }],
    ['cancelled', {}, { signal: AbortSignal.abort() }],
  ])('%s, of the result and of the checkpoint', async (status, script, setup) => {
    const { result, directory } = await runOnDisk(line, { script, ...setup });
    expect([result.status, jsonOf(directory, 'checkpoint.json').status]).toEqual([status, status]);
  });

  test('running, as long as it is under way', async () => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const seen = new Set<unknown>();
    await runOnDisk(line.replace('b\n', 'b [type=spy]\n'), {
      runDirectory,
      handlers: {
        spy: () => {
          seen.add(jsonOf(runDirectory, 'checkpoint.json').status);
          return { status: 'success' };
        },
      },
    });
    expect([...seen]).toEqual(['running']);
  });
});
