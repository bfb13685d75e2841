import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { eventsOf, fileOf, jsonOf, pipeline, testEach } from '../harness.js';
import { type Simulation, simulate } from './simulations.js';

/** Whatever its type: `x` stands between the start and two ways on, of which the first has the label `One`. */
const stage = (attributes: string): string =>
  pipeline(
    `x [${attributes}]`,
    'one',
    'two',
    'start -> x',
    'x -> one [label="One"]',
    'x -> two [label="Two"]',
    'one -> exit',
    'two -> exit',
  );

/** A handler of a program that must not be called. */
const handlers = (): HandlerRegistry => {
  const registry = new HandlerRegistry();
  registry.register('custom', {
    execute: () => {
      throw new Error('touched');
    },
  });
  return registry;
};

/** A pipeline whose run would leave traces. */
const untouched = path.join(import.meta.dirname, '../../../examples/release.dot');

/** Stages that choose their way on themselves. Their own work would fail, or leave traces. */
const types: readonly (readonly [type: string, attributes: string])[] = [
  ['codergen', 'prompt="Do it"'],
  ['wait.human', 'shape=hexagon'],
  ['tool', 'shape=parallelogram, tool_command="touch touched; false"'],
  ['parallel.fan_in', 'shape=tripleoctagon'],
  ['pipeline', `type=pipeline, child="${untouched}"`],
  ['stack.manager_loop', `shape=house, child="${untouched}"`],
  ['custom', 'type=custom'],
];

describe.each(types)('DESIGN 5: a scripted stage of the type %s', (_type, attributes) => {
  const run = (entry: object | readonly object[], setup: Simulation = {}) =>
    simulate(stage(attributes), { handlers: handlers(), ...setup, script: { x: entry } });

  testEach<{ name: string; entry: object; path: readonly string[]; status?: object; context?: object }>(
    [
      {
        name: 'succeeds when the entry says nothing else',
        entry: {},
        path: ['start', 'x', 'one', 'exit'],
        status: { outcome: 'success' },
      },
      {
        name: 'prefers a label',
        entry: { preferred_label: 'Two' },
        path: ['start', 'x', 'two', 'exit'],
        status: { preferred_label: 'Two' },
      },
      {
        name: 'prefers a label by its other name',
        entry: { preferred_next_label: 'Two' },
        path: ['start', 'x', 'two', 'exit'],
        status: { preferred_label: 'Two' },
      },
      {
        name: 'suggests where to go',
        entry: { suggested_next_ids: ['two'] },
        path: ['start', 'x', 'two', 'exit'],
        status: { suggested_next_ids: ['two'] },
      },
      {
        name: 'updates the context, with notes',
        entry: { outcome: 'partial_success', context_updates: { seen: { deep: [1] } }, notes: 'half' },
        path: ['start', 'x', 'one', 'exit'],
        status: { outcome: 'partial_success', notes: 'half' },
        context: { seen: { deep: [1] } },
      },
      {
        name: 'is skipped',
        entry: { outcome: 'skipped' },
        path: ['start', 'x', 'one', 'exit'],
        status: { outcome: 'skipped' },
      },
      {
        name: 'responds',
        entry: { response: 'done' },
        path: ['start', 'x', 'one', 'exit'],
        status: { context_updates: { last_stage: 'x', last_response: 'done' } },
      },
      {
        name: 'fails with its reason',
        entry: { outcome: 'fail', failure_reason: 'tests red', retryable: false },
        path: ['start', 'x'],
        status: { outcome: 'fail', failure_reason: 'tests red' },
      },
      { name: 'throws', entry: { throw: 'boom' }, path: ['start', 'x'], status: { failure_reason: 'boom' } },
    ],
    async ({ entry, path: expected, status = {}, context = {} }) => {
      const { result, directory, events } = await run(entry);
      expect(result.path).toEqual(expected);
      expect(jsonOf(directory, 'x', 'status.json')).toMatchObject(status);
      if (result.status === 'success') expect(result.context).toMatchObject(context);
      if ('response' in entry) expect(fileOf(directory, 'x', 'response.md')).toBe('done');
      expect(eventsOf(events, 'InterviewStarted')).toEqual([]);
    },
  );

  test('takes its time, within its timeout', async () => {
    const { result } = await run({ delay: '90m' });
    expect(result).toMatchObject({ status: 'success', duration_ms: 5_400_000 });
  });

  test('tells the category of its failure, and what to wait for', async () => {
    const failing = { outcome: 'fail', failure_category: 'retryable', retry_after_ms: 60_000 };
    const { events } = await run(failing);
    expect(eventsOf(events, 'StageFailed').at(-1)?.outcome).toMatchObject({ failure_category: 'retryable' });
  });

  test('takes the next entry in each attempt, and the last one again and again', async () => {
    const dot = stage(`${attributes}, max_retries=2, retry_policy=none, max_visits=3`).replace(
      'one -> exit',
      'one -> x',
    );
    const entries = [{ outcome: 'retry', failure_reason: 'first' }, { notes: 'second' }, { notes: 'third' }];
    const { events } = await simulate(dot, { handlers: handlers(), script: { x: entries } });
    const ended = events.flatMap((event) =>
      (event.type === 'StageFailed' || event.type === 'StageCompleted') && event.node_id === 'x'
        ? [event.outcome.failure_reason ?? event.outcome.notes]
        : [],
    );
    expect(ended).toEqual(['first', 'second', 'third', 'third']);
  });
});

describe('DESIGN 5: scripted nodes that do no work of their own', () => {
  const line = pipeline('a', 'start -> a -> exit');
  const diamond = pipeline(
    'a',
    'd [shape=diamond]',
    'start -> a -> d',
    'd -> good [label="Good", condition="outcome=success"]',
    'd -> bad [label="Bad", condition="outcome=fail"]',
    'd -> seen [label="Seen", condition="context.seen=true"]',
    'good -> exit',
    'bad -> exit',
    'seen -> exit',
  );
  const parallel = pipeline(
    'p [shape=component]',
    'j [shape=tripleoctagon]',
    'start -> p',
    'p -> a -> j',
    'p -> b -> j',
    'j -> exit',
  );
  const results = [{ id: 'b', outcome: 'success' }];

  testEach<{ name: string; dot: string; script: object; expected: object; context?: object }>(
    [
      {
        name: 'the start gives the context its first values',
        dot: line,
        script: { start: { context_updates: { x: 1 }, delay: 2 } },
        expected: { status: 'success', path: ['start', 'a', 'exit'], duration_ms: 2000 },
        context: { x: 1 },
      },
      {
        name: 'the start fails, and the run with it',
        dot: line,
        script: { start: { outcome: 'fail', failure_reason: 'no' } },
        expected: { status: 'fail', failure_reason: 'no', failed_node: 'start', path: ['start'] },
      },
      {
        name: 'the exit updates the context for the last time',
        dot: line,
        script: { exit: { context_updates: { x: 1 }, delay: 2 } },
        expected: { status: 'success', duration_ms: 2000 },
        context: { x: 1 },
      },
      {
        name: 'the exit fails, and the run with it',
        dot: line,
        script: { exit: { outcome: 'fail', failure_reason: 'no' } },
        expected: { status: 'fail', failure_reason: 'no', path: ['start', 'a', 'exit'] },
      },
      {
        name: 'a diamond routes on the outcome that came in, whatever success it reports',
        dot: diamond,
        script: { a: { outcome: 'fail', failure_reason: 'no' }, d: { preferred_label: 'Good' } },
        expected: { status: 'success', path: ['start', 'a', 'd', 'bad', 'exit'] },
      },
      {
        name: 'a diamond that fails routes on that',
        dot: diamond,
        script: { d: { outcome: 'fail', failure_reason: 'no' } },
        expected: { status: 'success', path: ['start', 'a', 'd', 'bad', 'exit'] },
      },
      {
        name: 'a diamond updates the context, and its conditions see it',
        dot: diamond.replace('outcome=success', 'outcome=success && context.seen!=true'),
        script: { d: { context_updates: { seen: true } } },
        expected: { status: 'success', path: ['start', 'a', 'd', 'seen', 'exit'] },
      },
      {
        name: 'a parallel node runs no branch, but continues where they would have met',
        dot: parallel,
        script: { p: { context_updates: { 'parallel.results': results } } },
        expected: { status: 'success', path: ['start', 'p', 'j', 'exit'] },
        context: { 'parallel.fan_in.best_id': 'b' },
      },
      {
        name: 'a parallel node fails without its branches',
        dot: parallel,
        script: { p: { outcome: 'fail', failure_reason: 'no' } },
        expected: { status: 'fail', failure_reason: 'no', path: ['start', 'p'] },
      },
      {
        name: 'a fan-in after real branches leaves their results alone',
        dot: parallel,
        script: { j: { context_updates: { chosen: 'a' } } },
        expected: { status: 'success', path: ['start', 'p', 'a', 'b', 'j', 'exit'] },
        context: { chosen: 'a', 'parallel.success_count': 2 },
      },
    ],
    async ({ dot, script, expected, context = {} }) => {
      const { result } = await simulate(dot, { script });
      expect(result).toMatchObject(expected);
      expect(result.context).toMatchObject(context);
    },
  );
});

describe('DESIGN 5: --simulate', () => {
  testEach<{ name: string; attributes: string; context: object; handlers?: HandlerRegistry }>(
    [
      { name: 'calls no model', attributes: 'prompt="Do it"', context: { last_stage: 'one' } },
      { name: 'runs no tool', attributes: 'shape=parallelogram, tool_command="exit 3"', context: {} },
      { name: 'asks nobody', attributes: 'shape=hexagon', context: { 'human.gate.target': 'one' } },
      {
        name: 'calls no handler of the program',
        attributes: 'type=custom',
        context: {},
        handlers: handlers(),
      },
    ],
    async ({ attributes, context, ...options }) => {
      const { result } = await simulate(stage(attributes), {
        ...options,
        interviewer: { ask: () => Promise.reject(new Error('asked')) },
        backend: { run: () => Promise.reject(new Error('called')) },
      });
      expect(result).toMatchObject({ status: 'success', path: ['start', 'x', 'one', 'exit'] });
      expect(result.context).toMatchObject(context);
    },
  );

  test('simulates the pipelines that stages run, too; entries for their stages are named after the stage', async () => {
    const directory = temporaryDirectory();
    const child = pipeline('c [shape=parallelogram, tool_command="false"]', 'd', 'start -> c -> d -> exit');
    writeFileSync(path.join(directory, 'child.dot'), child);
    for (const attributes of ['type=pipeline', 'shape=house']) {
      const { result } = await simulate(stage(`${attributes}, child="child.dot"`), {
        sourcePath: path.join(directory, 'parent.dot'),
        script: { 'x/d': { delay: '3h' } },
      });
      expect(result).toMatchObject({ status: 'success', duration_ms: 3 * 3_600_000 });
    }
  });

  test('continues with the entries of a script after loop_restart', async () => {
    const dot = pipeline(
      'graph [max_restarts=3]',
      'a',
      'start -> a',
      'a -> a2 [condition="context.again=true", loop_restart=true]',
      'a -> exit [condition="context.again!=true"]',
      'a2 -> a',
    );
    const again = { context_updates: { again: true } };
    const { result, events } = await simulate(dot, { script: { a: [again, again, { notes: 'third' }] } });
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'LoopRestarted')).toHaveLength(2);
    const last = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'a');
    expect(last.at(-1)?.outcome.notes).toBe('third');
  });
});
