import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { eventsOf, pipeline, resumePipeline, runPipeline, testEach } from '../run/harness.js';

const fail = { outcome: 'fail', failure_reason: 'red' };
const sets = (context_updates: Readonly<Record<string, JsonValue>>, more: object = {}) => ({
  context_updates,
  ...more,
});

const scripted = (nodes: object) => readScript({ nodes }, 'the test');

/** Three branches of one stage each, and a plain stage where they meet. */
const fan = (attributes: string, ...more: readonly string[]) =>
  pipeline(
    `fan [shape=component, ${attributes}]`,
    'before; a; b; c; join',
    'start -> before -> fan -> a -> join; fan -> b -> join; fan -> c -> join -> exit',
    ...more,
  );

interface Case {
  readonly name: string;
  readonly attributes: string;
  readonly more?: string;
  readonly script: object;
  /** Values after the join; undefined for a key that is not there. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly status?: 'success' | 'fail';
  readonly reason?: string;
}

const large = 'x'.repeat(200_000);
const both = { a: sets({ x: 'A', ofA: 1 }), b: sets({ x: 'B', ofB: 2 }) };

describe('107: values of branches at the join', () => {
  const cases: readonly Case[] = [
    {
      name: '107: isolate, the default, merges nothing',
      attributes: 'on_conflict=isolate',
      script: both,
      context: { x: undefined, ofA: undefined },
    },
    {
      name: '107: under last_wins the last branch in the order of the edges wins, whichever ends last',
      attributes: 'on_conflict=last_wins',
      script: { a: sets({ x: 'A', ofA: 1 }, { delay: '3s' }), b: sets({ x: 'B', ofB: 2 }, { delay: '1s' }) },
      context: { x: 'B', ofA: 1, ofB: 2 },
    },
    {
      name: '107: under first_wins the first one',
      attributes: 'on_conflict=first_wins',
      script: { a: sets({ x: 'A', ofA: 1 }, { delay: '3s' }), b: sets({ x: 'B', ofB: 2 }, { delay: '1s' }) },
      context: { x: 'A', ofA: 1, ofB: 2 },
    },
    {
      name: '107: under error two values of one key are a terminal failure that names both branches',
      attributes: 'on_conflict=error, max_retries=2',
      script: { ...both, c: sets({ ofC: 3 }) },
      context: { x: undefined, ofA: undefined, ofC: undefined },
      status: 'fail',
      reason:
        'the branches "a" and "b" set `x` to different values; `on_conflict=error` then fails, and nothing is merged',
    },
    {
      name: '107: equal values do not conflict, in whatever order their members are',
      attributes: 'on_conflict=error',
      script: { a: sets({ x: { p: [1, null], q: true } }), b: sets({ x: { q: true, p: [1, null] } }) },
      context: { x: { p: [1, null], q: true } },
    },
    {
      name: '107: a list is not a map, a text is not a number, and null is a value',
      attributes: 'on_conflict=error',
      script: { a: sets({ x: null }), b: sets({ x: {} }) },
      context: { x: undefined },
      status: 'fail',
      reason: 'set `x` to different values',
    },
    {
      name: '107: keys of handlers and of the engine are never merged, and never a conflict',
      attributes: 'on_conflict=error',
      more: ['before', 'a', 'b'].map((id) => `${id} [shape=parallelogram, tool_command=x]`).join('; '),
      script: {
        before: sets({ 'tool.output': 'before', last_response: 'before' }),
        a: sets({ 'tool.output': 'a', last_response: 'a', 'human.gate.label': 'a', 'child.x': 1, ok: true }),
        b: sets({
          'tool.output': 'b',
          last_response: 'b',
          'human.gate.label': 'b',
          'tool.json': 1,
          ok: true,
        }),
        join: {},
      },
      context: {
        'tool.output': 'before',
        last_response: 'before',
        'human.gate.label': undefined,
        'child.x': undefined,
        'tool.json': undefined,
        ok: true,
      },
    },
    {
      name: '107: a failed branch merges nothing, a partly successful one does',
      attributes: 'on_conflict=last_wins',
      script: {
        a: sets({ x: 'A', ofA: 1 }),
        b: sets({ x: 'B', ofB: 2 }, { outcome: 'partial_success' }),
        c: sets({ x: 'C', ofC: 3 }, fail),
      },
      context: { x: 'B', ofA: 1, ofB: 2, ofC: undefined },
    },
    {
      name: '107: nor does a failed branch contradict the others',
      attributes: 'on_conflict=error',
      script: { a: sets({ x: 'A' }), b: sets({ x: 'B' }, fail) },
      context: { x: 'A' },
    },
    {
      name: '107: a join that fails has the values of the branches that succeeded, as it has their results',
      attributes: 'on_conflict=last_wins, join_policy=quorum, join_quorum=1, on_failure=continue',
      script: { a: sets({ ofA: 1 }), b: sets({ ofB: 2 }, fail) },
      context: { ofA: 1, ofB: undefined },
    },
    {
      name: '107: under first_success the branch that succeeded',
      attributes: 'on_conflict=error, join_policy=first_success',
      script: {
        a: sets({ x: 'A' }, { delay: '3s' }),
        b: sets({ x: 'B' }, { delay: '1s' }),
        c: { delay: '2s' },
      },
      context: { x: 'B' },
    },
    {
      name: '107: a failure that is ignored is not merged either',
      attributes: 'on_conflict=first_wins, error_policy=ignore',
      script: { a: sets({ x: 'A' }, fail), b: sets({ x: 'B' }) },
      context: { x: 'B' },
    },
    {
      name: '107: what a branch sets counts, not what it found; assigned values count too',
      attributes: 'on_conflict=error',
      more: 'a ["assign.y"="${context.x}!"]',
      script: { before: sets({ x: 'old' }), b: sets({ x: 'new' }) },
      context: { x: 'new', y: 'old!' },
    },
    {
      name: '107: a value with a name like __proto__ is a value',
      attributes: 'on_conflict=last_wins',
      script: { a: { context_updates: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') } },
      context: { constructor: 2, x: undefined },
    },
    {
      name: '107, 110: values that were put aside are not compared',
      attributes: 'on_conflict=error',
      script: { a: sets({ x: large }), b: sets({ x: large }) },
      context: { x: undefined },
      status: 'fail',
      reason: 'set `x` to values that are artifacts, which are not compared',
    },
    {
      name: '107: two edges to one node are two branches',
      attributes: 'on_conflict=error',
      more: 'fan -> a',
      script: { a: [sets({ x: 1 }), sets({ x: 2 })] },
      context: { x: undefined },
      status: 'fail',
      reason: 'the branches "a" and "a#2" set `x`',
    },
  ];
  testEach(cases, async ({ attributes, more = '', script, context, status = 'success', reason = '' }) => {
    const run = await runPipeline(fan(attributes, more), { script });
    expect(run.result.status).toBe(status);
    expect(run.result.failure_reason ?? '').toContain(reason);
    for (const [key, value] of Object.entries(context))
      expect([key, own(run.result.context, key)]).toEqual([key, value]);
  });
});

function own(context: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(context, key) ? context[key] : undefined;
}

/** A branch for each item of the input `files`, the last one the fastest. */
const each = (attributes: string, ...more: readonly string[]) =>
  pipeline(
    `map [shape=component, foreach="\${inputs.files}", join=end, ${attributes}]; end`,
    'work ["assign.latest"="${context.item}", "assign.score"=7]',
    'start -> map -> work -> end -> exit',
    ...more,
  );
const slower = { work: [{ delay: '3s' }, { delay: '2s' }, { delay: '1s' }], end: {} };

describe('107: values of the items of a list', () => {
  const cases = [
    { policy: 'last_wins', latest: 'c' },
    { policy: 'first_wins', latest: 'a' },
    { policy: 'isolate', latest: undefined },
  ];
  test.each(cases)('107: $policy goes by the order of the items', async ({ policy, latest }) => {
    const run = await runPipeline(each(`on_conflict=${policy}`), {
      inputs: { files: ['a', 'b', 'c'] },
      script: slower,
    });
    expect(run.result.status).toBe('success');
    expect(own(run.result.context, 'latest')).toBe(latest);
    expect(run.result.context).not.toHaveProperty('item');
    expect(run.result.context).not.toHaveProperty('work.index');
  });

  test('107: error names the items, and an empty list merges nothing', async () => {
    const dot = each('on_conflict=error');
    const run = await runPipeline(dot, { inputs: { files: ['a', 'a', 'c'] }, script: slower });
    expect(run.result.failure_reason).toContain(
      'the branches "work#1" and "work#3" set `latest` to different',
    );
    const none = await runPipeline(dot, { inputs: { files: [] }, script: slower });
    expect(none.result.status).toBe('success');
    expect(none.result.context).not.toHaveProperty('latest');
  });
});

describe('107: parallel nodes in branches', () => {
  const nested = (outer: string, inner: string) =>
    pipeline(
      `fan [shape=component, on_conflict=${outer}]; in [shape=component, on_conflict=${inner}]; meet; a; b; c; join`,
      'start -> fan -> in -> a -> meet; in -> b -> meet -> join; fan -> c -> join -> exit',
    );
  const script = {
    a: sets({ x: 'A', ofA: 1 }),
    b: sets({ x: 'B' }),
    c: sets({ x: 'C' }),
    meet: sets({ met: true }),
  };
  const cases = [
    { outer: 'last_wins', inner: 'last_wins', context: { x: 'C', ofA: 1, met: true } },
    { outer: 'first_wins', inner: 'last_wins', context: { x: 'B', ofA: 1, met: true } },
    { outer: 'first_wins', inner: 'first_wins', context: { x: 'A', ofA: 1, met: true } },
    { outer: 'first_wins', inner: 'isolate', context: { x: 'C', ofA: undefined, met: true } },
    { outer: 'isolate', inner: 'last_wins', context: { x: undefined, ofA: undefined, met: undefined } },
    { outer: 'last_wins', inner: 'error', context: { x: 'C', ofA: undefined, met: undefined } },
  ];
  test.each(cases)('107: $inner within $outer', async ({ outer, inner, context }) => {
    const { result } = await runPipeline(nested(outer, inner), { script });
    for (const [key, value] of Object.entries(context))
      expect([key, own(result.context, key)]).toEqual([key, value]);
  });
});

describe('107: a run that goes on', () => {
  const dot = fan('on_conflict=last_wins, join_policy=quorum, join_quorum=1');
  const done = { before: {}, a: sets({ x: 'A', ofA: 1 }), b: sets({ x: 'B' }), c: {}, join: {} };

  test('107, 66b: branches that are kept and branches that run again are merged in their order', async () => {
    const failed = await runPipeline(dot, { script: { ...done, a: fail } });
    expect(failed.result.context).toMatchObject({ x: 'B' });
    const { result } = await resumePipeline(failed.directory, {}, { script: scripted(done) });
    expect(result.status).toBe('success');
    expect(result.context).toMatchObject({ x: 'B', ofA: 1 });
  });

  test('107: after a conflict all branches run again, at most as often as any terminal failure', async () => {
    const contrary = fan('on_conflict=error');
    const failed = await runPipeline(contrary, { script: { ...done } });
    expect(failed.result.status).toBe('fail');
    const { result } = await resumePipeline(failed.directory, {}, { script: scripted({ ...done, b: {} }) });
    expect(result.status).toBe('success');
    expect(result.context).toMatchObject({ x: 'A', ofA: 1 });
  });

  test('107: merged values come from the branches, and are in no event again', async () => {
    const run = await runPipeline(dot, { script: done });
    const [fanOutcome] = eventsOf(run.events, 'StageCompleted').filter(({ node_id }) => node_id === 'fan');
    expect(fanOutcome?.outcome).toEqual({
      status: 'success',
      notes: '3 of 3 branches succeeded; 2 values merged',
    });
  });
});
