import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import { reroute } from '../../src/run/recording/reroute.js';
import { simulate } from '../../src/run/simulate/simulate.js';
import {
  eventsOf,
  fileOf,
  fileSystemOf,
  pipeline,
  programOf,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
} from './harness.js';

const values = {
  plan: ['a', 'b'],
  user: { name: 'Ada' },
  score: 3,
  nothing: null,
  text: 'say "hi" to ${context.score}',
};

/** What `context.x` is after a stage with this `assign.x`, and what was said of it. */
async function assigned(written: string, setup: Setup = {}) {
  const run = await runPipeline(
    pipeline('a', `b [assign.x=${written}, prompt=x]`, 'start -> a -> b -> exit').replace(
      'assign.x',
      '"assign.x"',
    ),
    { script: { a: { outcome: 'success', context_updates: values } }, ...setup },
  );
  const said = eventsOf(run.events, 'LogAppended').map(({ message }) => message);
  return { ...run, value: run.result.context.x, said };
}

describe('102: assign keeps types', () => {
  test.each<[written: string, value: JsonValue]>([
    ['"${context.plan}"', ['a', 'b']],
    ['"${context.user}"', { name: 'Ada' }],
    ['"${context.user.name}"', 'Ada'],
    ['"${context.score}"', 3],
    ['"${context.score} of 5"', '3 of 5'],
    ['"${context.nothing}"', null],
    ['3', 3],
    ['1.5', 1.5],
    ['true', true],
    ['"3"', '3'],
    ['"true"', 'true'],
    ['15m', '15m'],
    ['""', ''],
    ['"[1, 2]"', [1, 2]],
    ['"{}"', {}],
    [
      String.raw`"{\"s\": \"${'${context.score}'}\", \"t\": \"is ${'${context.score}'}\"}"`,
      { s: 3, t: 'is 3' },
    ],
    [
      String.raw`"[[\"${'${context.plan}'}\"], null, \"${'${context.text}'}\"]"`,
      [[['a', 'b']], null, values.text],
    ],
    [String.raw`"{\"__proto__\": \"${'${context.score}'}\"}"`, JSON.parse('{"__proto__": 3}')],
    ['"[${context.score}]"', '[3]'],
    ['"${context.text}"', values.text],
    ['"$${context.score}"', '${context.score}'],
    ['"${result.outcome} ${context.outcome}"', 'success success'],
    ['"${result.notes}"', 'Stage completed: b'],
    ['"${context.last_response}"', '[Simulated] Response for stage: b'],
  ])('%s', async (written, value) => {
    const { value: found, said } = await assigned(written);
    expect([found, said]).toEqual([value, []]);
  });

  test('a value is never read again, even one that looks like JSON', async () => {
    const script = { a: { outcome: 'success', context_updates: { x: '["${context.score}"]', score: 1 } } };
    expect((await assigned('"${context.x}"', { script })).value).toBe('["${context.score}"]');
  });

  test('all at once: each sees what was before', async () => {
    const dot = pipeline(
      'a ["assign.x"="${context.y}", "assign.y"="${context.x}"]',
      'start ["assign.x"=1, "assign.y"=2]',
      'start -> a -> exit',
    );
    const { result } = await runPipeline(dot);
    expect(result.context).toMatchObject({ x: 2, y: 1 });
  });
});

describe('102: a missing path', () => {
  test('is null, with a warning', async () => {
    const { value, said } = await assigned('"${context.plna}"');
    expect(value).toBeNull();
    expect(said).toEqual(['"${context.plna}" of "b" has no value; null is used instead']);
  });

  test('within a text it is empty', async () => {
    const { value, said } = await assigned('"<${context.plna}>"');
    expect([value, said]).toEqual([
      '<>',
      ['"${context.plna}" of "b" has no value; an empty text is used instead'],
    ]);
  });

  test('fails the stage under strict values', async () => {
    const { result, events } = await assigned('"${context.plna}"', { strictValues: true });
    expect(result).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringMatching(
        /^"\$\{context\.plna\}" of "b" has no value, and missing values are errors/,
      ),
    });
    expect(result.context).not.toHaveProperty('x');
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({
      retryable: false,
      context_updates: { last_stage: 'b' },
    });
  });
});

describe('102: when a stage assigns', () => {
  test.each([
    ['success', 1],
    ['partial_success', 1],
    ['skipped', 1],
    ['fail', undefined],
  ] as const)('%s', async (outcome, x) => {
    const dot = pipeline('a ["assign.x"=1, on_failure=continue]', 'start -> a -> exit');
    const { result } = await runPipeline(dot, { script: { a: { outcome } } });
    expect(result.context.x).toBe(x);
  });

  test('only the attempt that succeeded; a success made by allow_partial assigns nothing', async () => {
    const dot = (more: string) =>
      pipeline(`a ["assign.x"="\${result.notes}", max_retries=1${more}]`, 'start -> a -> exit');
    const retried = {
      a: [
        { outcome: 'retry', notes: 'one' },
        { outcome: 'success', notes: 'two' },
      ],
    };
    expect((await runPipeline(dot(''), { script: retried })).result.context.x).toBe('two');
    const partial = await runPipeline(dot(', allow_partial=true'), { script: { a: { outcome: 'retry' } } });
    expect(partial.result.context).not.toHaveProperty('x');
  });

  test('assign wins over context_updates, and both are in the journal', async () => {
    const dot = pipeline('a ["assign.x"="mine, not ${context.x}"]', 'start -> a -> exit');
    const { result, events } = await runPipeline(dot, {
      script: { a: { outcome: 'success', context_updates: { x: 'its' } } },
    });
    expect(result.context.x).toBe('mine, not its');
    expect(eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'a')?.outcome).toMatchObject({
      context_updates: { x: 'its' },
      assigned: { x: 'mine, not its' },
    });
  });

  test('a diamond assigns what it passes on, also a failure', async () => {
    const dot = pipeline(
      'a',
      'd [shape=diamond, prompt="", "assign.why"="${result.failure_reason}", "assign.how"="${context.outcome}"]',
      'b [prompt="${context.why}"]',
      'start -> a -> d',
      'd -> b [condition="outcome=fail"]',
      'd -> exit [condition="outcome!=fail"]',
      'b -> exit',
    );
    const { result } = await runPipeline(dot, { script: { a: { outcome: 'fail', failure_reason: 'no' } } });
    expect(result.context).toMatchObject({ why: 'no', how: 'fail' });
  });

  test('edges of the stage see what it has assigned, result. too', async () => {
    const dot = pipeline(
      'a ["assign.next"="b"]',
      'b [prompt="${result.next}"]',
      'c',
      'start -> a',
      'a -> b [condition="context.next=b"]',
      'a -> c [condition="context.next!=b"]',
      'b -> exit',
      'c -> exit',
    );
    const { events } = await runPipeline(dot, { strictValues: true });
    expect(eventsOf(events, 'StageStarted').map(({ node_id }) => node_id)).toEqual([
      'start',
      'a',
      'b',
      'exit',
    ]);
  });
});

describe('102: the start sets the initial state', () => {
  const loop = pipeline(
    'start ["assign.round"=0, "assign.city"="${inputs.city}"]',
    'a ["assign.round"=1, "assign.city"="gone"]',
    'b',
    'start -> a -> b',
    'b -> a [condition="internal.restart_count < 1", loop_restart=true]',
    'b -> c [condition="internal.restart_count > 0"]',
    'c -> exit',
  );

  test('and a restart sets it again', async () => {
    const { events } = await runPipeline(loop.replace('a -> b', 'a -> b'), { inputs: { city: 'Oslo' } });
    const prompts = eventsOf(events, 'LoopRestarted');
    expect(prompts).toHaveLength(1);
    const dot = loop
      .replace('a ["assign.round"=1, "assign.city"="gone"]', 'a [prompt="${context.round} ${context.city}"]')
      .replace('\nb\n', '\nb ["assign.round"=1, "assign.city"="gone"]\n');
    const run = await runOnDisk(dot, { inputs: { city: 'Oslo' }, strictValues: true });
    expect(fileOf(run.directory, 'a', 'prompt.md')).toContain('0 Oslo');
    expect(fileOf(run.directory, 'restart-1', 'a', 'prompt.md')).toContain('0 Oslo');
  });
});

test('102: what branches assign is theirs, and in their results', async () => {
  const dot = pipeline(
    'p [shape=component]',
    'a ["assign.x"=1]',
    'b ["assign.x"=2]',
    'j ["assign.all"="${context.parallel.results.1.context_updates.x}"]',
    'start -> p',
    'p -> a -> j',
    'p -> b -> j',
    'j -> exit',
  );
  const { result } = await runPipeline(dot);
  expect(result.context.all).toBe(2);
  expect(result.context).not.toHaveProperty('x');
});

test('102: large values are whole for assign, and put aside with what it makes of them', async () => {
  const list = Array.from({ length: 30_000 }, (_, index) => `item ${index}`);
  const dot = pipeline(
    'a',
    'b ["assign.copy"="${context.list}", "assign.last"="${context.list.29999}"]',
    'c ["assign.from_result"="${context.copy.1}"]',
    'start -> a -> b -> c -> exit',
  );
  const { result, events } = await runPipeline(dot, {
    script: { a: { outcome: 'success', context_updates: { list } } },
  });
  expect(result.context).toMatchObject({
    last: 'item 29999',
    from_result: 'item 1',
    copy: { $artifact: 'b.2.1.assigned.copy' },
  });
  const settled = eventsOf(events, 'StageCompleted').find(({ node_id }) => node_id === 'b');
  expect(settled?.outcome.artifacts).toEqual(['b.2.1.assigned.copy']);
});

test('102: a resumed run has the values, and evaluates nothing twice', async () => {
  const dot = pipeline('a ["assign.x"="${context.city}"]', 'b [type=x]', 'start -> a -> b -> exit');
  const first = await runPipeline(dot, {
    inputs: { city: 'Oslo' },
    handlers: { x: () => ({ status: 'fail' as const }) },
  });
  const { result } = await resumePipeline(first.directory, {
    inputs: { city: 'Rome' },
    handlers: { x: () => ({ status: 'success' as const }) },
  });
  expect(result.context).toMatchObject({ city: 'Rome', x: 'Oslo' });
});

test('102: replay --with evaluates the assignments of the other pipeline on the old outcomes', async () => {
  const dot = (next: string) =>
    pipeline(
      `a ["assign.next"="${next}"]`,
      'b',
      'c',
      'start -> a',
      'a -> b [condition="context.next=b"]',
      'a -> c [condition="context.next!=b"]',
      'b -> exit',
      'c -> exit',
    );
  const { directory } = await runPipeline(dot('b'), {
    script: { a: { outcome: 'success', context_updates: { way: 'c' } } },
  });
  const { now } = await reroute(directory, programOf(dot('${context.way}')), fileSystemOf(directory));
  expect(now.path.map(({ node_id }) => node_id)).toEqual(['start', 'a', 'c']);
});

test('102: a simulation assigns as a run does', async () => {
  const dot = pipeline('a ["assign.x"="${inputs.n}"]', 'start -> a -> exit');
  const result = await simulate(dot, { inputs: { n: 4 } });
  expect(result).toMatchObject({ context: { x: 4 } });
});
