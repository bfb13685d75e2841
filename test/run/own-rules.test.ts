import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/graph/json.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { reroute } from '../../src/run/recording/reroute.js';
import {
  eventsOf,
  fileSystemOf,
  pipeline,
  programOf,
  resumePipeline,
  runOnDisk,
  runPipeline,
  type Setup,
} from './harness.js';

type Updates = Readonly<Record<string, JsonValue>>;

/** Runs a stage `a` of a plugin with these attributes, which reports this. */
async function stage(attributes: string, reported: Outcome, setup: Setup = {}, type = 'x') {
  const dot = pipeline(`a [type="${type}", prompt="", ${attributes}]`, 'start -> a -> exit');
  const run = await runPipeline(dot, { handlers: { [type]: () => reported }, ...setup });
  const outcome = outcomeOf(run.events);
  return { ...run, outcome };
}

function outcomeOf(events: Parameters<typeof eventsOf>[0], id = 'a'): Outcome | undefined {
  const settled = events
    .filter((event) => 'outcome' in event && 'node_id' in event && event.node_id === id)
    .at(-1);
  return settled !== undefined && 'outcome' in settled ? settled.outcome : undefined;
}

const success = (updates: Updates = {}): Outcome => ({ status: 'success', context_updates: updates });

describe('103: a success has what its writes says', () => {
  test.each<[writes: string, updates: Updates, problem: string]>([
    ['plan', {}, 'plan: expected any value, but it is missing'],
    ['plan: list', { plan: 'a' }, 'plan: expected a list, found "a"'],
    ['score: integer', { score: 1.5 }, 'score: expected an integer, found 1.5'],
    ['score: number', { score: '3' }, 'score: expected a number, found "3"'],
    ['score: number', { score: null }, 'score: expected a number, found null'],
    ['verdict: pass|fail', { verdict: 'ok' }, 'verdict: expected one of pass, fail, found "ok"'],
    ['note: string?', { note: 1 }, 'note: expected a string, found 1'],
    ['a: list, b: map', { a: {}, b: [] }, 'a: expected a list, found {}; b: expected a map, found []'],
    ['__proto__: list', {}, '__proto__: expected a list, but it is missing'],
  ])('%s, not %j', async (writes, updates, problem) => {
    const { outcome, result } = await stage(`writes="${writes}"`, success(updates));
    expect(outcome).toMatchObject({
      status: 'fail',
      failure_reason: `"a" did not set the keys that its \`writes\` declares: ${problem}`,
      failure_category: 'terminal',
      retryable: false,
      reported: 'success',
      context_updates: updates,
    });
    expect(result.status).toBe('fail');
  });

  test.each<[writes: string, updates: Updates]>([
    ['plan', { plan: null }],
    ['plan: any', { plan: null }],
    ['plan.steps: list', { plan: { steps: [] } }],
    ['plan.steps: list', { 'plan.steps': [] }],
    ['score: integer', { score: 3.0 }],
    ['note: string?', {}],
    ['note: string?', { note: null }],
  ])('%s, so %j', async (writes, updates) => {
    expect((await stage(`writes="${writes}"`, success(updates))).outcome?.status).toBe('success');
  });

  test.each(['partial_success', 'skipped'] as const)('not asked of %s', async (status) => {
    expect((await stage('writes="plan: list"', { status })).outcome?.status).toBe(status);
  });

  test('an assigned key is written, and has its type too', async () => {
    expect((await stage('writes="n: integer", "assign.n"=3', success())).outcome?.status).toBe('success');
    expect((await stage('writes="n: integer", "assign.n"="x"', success())).outcome).toMatchObject({
      failure_reason: expect.stringContaining('n: expected an integer, found "x"'),
    });
  });

  test('max_retries gives it another attempt', async () => {
    const { events, result } = await stage('writes="n", max_retries=1', success(), {
      handlers: { x: ({ attempt }) => (attempt === 1 ? success() : success({ n: 1 })) },
    });
    expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'retryable' });
    expect(result.status).toBe('success');
  });

  test('what an earlier visit wrote is cleared when a visit begins, unless it is read', async () => {
    const dot = pipeline(
      'a [type=x, prompt="", writes="verdict: string?, draft: string?", reads="draft"]',
      'b [type=y, prompt=""]',
      'start -> a -> b',
      'b -> a [condition="internal.again=yes"]',
      'b -> exit [condition="internal.again!=yes"]',
    );
    const seen: unknown[] = [];
    await runPipeline(dot.replaceAll('internal.again', 'context.again'), {
      handlers: {
        x: ({ context, visit }) => {
          seen.push([context.get('verdict'), context.get('draft')]);
          return success(visit === 1 ? { verdict: 'bad', draft: 'one' } : {});
        },
        y: ({ context, visit }) => {
          seen.push([context.get('verdict'), context.get('draft')]);
          return success({ again: visit === 1 ? 'yes' : 'no' });
        },
      },
    });
    expect(seen).toEqual([
      [undefined, undefined],
      ['bad', 'one'],
      [undefined, 'one'],
      [undefined, 'one'],
    ]);
  });

  test('a simulation sets values of the types', async () => {
    const writes =
      'v: pass|fail, n: number, i: integer, s: string, l: list, m: map, b: boolean, x, o: string?';
    const dot = pipeline(`a [writes="${writes}"]`, 'start -> a -> exit');
    for (const setup of [{}, { simulate: true }, { script: { a: { outcome: 'success' } } }]) {
      const { result } = await runPipeline(dot, setup);
      expect(result.context).toMatchObject({ v: 'pass', n: 0, i: 0, s: '', l: [], m: {}, b: false, x: '' });
      expect(result.context).not.toHaveProperty('o');
    }
    const { result } = await runPipeline(dot, {
      script: { a: { outcome: 'success', context_updates: { v: 'fail', n: 2 } } },
    });
    expect(result.context).toMatchObject({ v: 'fail', n: 2, l: [] });
  });
});

describe('103: fail_when judges a success', () => {
  test('and the FAIL quotes why; what the stage set stays, what it assigns does not', async () => {
    const { outcome, result } = await stage(
      'fail_when="context.score < 3", "assign.good"=true, on_failure=continue',
      success({ score: 2 }),
    );
    expect(outcome).toMatchObject({
      status: 'fail',
      failure_reason: 'fail_when of "a" holds: context.score<3 (context.score is 2)',
      reported: 'success',
      context_updates: { score: 2 },
    });
    expect(result.context).toMatchObject({ score: 2, outcome: 'fail' });
    expect(result.context).not.toHaveProperty('good');
  });

  test.each<[condition: string, reported: Outcome, status: string]>([
    ['context.score < 3', success({ score: 3 }), 'success'],
    ['context.score < 3', { status: 'partial_success', context_updates: { score: 1 } }, 'fail'],
    ['context.score < 3', { status: 'skipped', context_updates: { score: 1 } }, 'skipped'],
    ['context.mine=1', success(), 'fail'],
    ['result.notes matches "oops"', { status: 'success', notes: 'oops' }, 'fail'],
    ['outcome=partial_success', { status: 'partial_success' }, 'fail'],
    ['preferred_label=No', { status: 'success', preferred_label: 'No' }, 'fail'],
  ])('%s of %j: %s', async (condition, reported, status) => {
    const { outcome } = await stage(`fail_when=${JSON.stringify(condition)}, "assign.mine"=1`, reported);
    expect(outcome?.status).toBe(status);
  });

  test('a retry is not judged', async () => {
    const { events } = await stage('fail_when="true", "assign.x"=1, max_retries=1', { status: 'retry' });
    expect(eventsOf(events, 'StageFailed').map(({ outcome }) => outcome.failure_reason)).toEqual([
      undefined,
      'max retries exceeded: the stage gave no reason',
    ]);
  });

  test.each([
    ['label="Gave up after ${context.n} tries"', 'Gave up after 3 tries'],
    ['x=y', '"d" was reached, which always fails'],
  ])('true on a diamond (%s) ends the run as failed, whatever came there', async (attributes, reason) => {
    const dot = pipeline(
      'on_failure=continue',
      'a ["assign.n"=3]',
      `d [shape=diamond, prompt="", fail_when="true", ${attributes}]`,
      'start -> a',
      'a -> d [condition="outcome=fail"]',
      'a -> d [condition="context.n=3"]',
      'a -> exit',
    );
    for (const outcome of ['success', 'fail']) {
      const script = { a: { outcome, context_updates: { n: 3 } } };
      const { result, events } = await runPipeline(dot, { script });
      expect(result).toMatchObject({ status: 'fail', failure_reason: reason });
      expect(outcomeOf(events, 'd')).toMatchObject({ failure_category: 'terminal', retryable: false });
    }
  });

  test('a diamond that fails itself no longer passes through: its own edges and retry target hold', async () => {
    const dot = pipeline(
      'a',
      'd [shape=diamond, prompt="", fail_when="context.n < 2"]',
      'b',
      'start -> a -> d',
      'd -> b [condition="outcome=fail"]',
      'd -> exit [condition="outcome=success"]',
      'b -> exit',
    );
    const { events } = await runPipeline(dot, {
      script: { a: { outcome: 'success', context_updates: { n: 1 } } },
    });
    expect(eventsOf(events, 'StageStarted').map(({ node_id }) => node_id)).toEqual([
      'start',
      'a',
      'd',
      'b',
      'exit',
    ]);
  });

  test('in a branch it ends the branch as failed', async () => {
    const dot = pipeline(
      'p [shape=component]',
      'a',
      'd [shape=diamond, prompt="", fail_when="true", label="No"]',
      'b',
      'j [prompt="${parallel.results}"]',
      'start -> p',
      'p -> a -> d',
      'p -> b -> j -> exit',
    );
    const { result } = await runPipeline(dot, {
      ruleSettings: new Map([['branches_do_not_converge', 'off']]),
    });
    expect(result.context['parallel.results']).toMatchObject([
      { status: 'fail', failure_reason: 'No' },
      { status: 'success' },
    ]);
  });
});

describe('103: retry_when decides about further attempts', () => {
  const failing = (updates: Updates, more: Partial<Outcome> = {}): Outcome => ({
    status: 'fail',
    failure_reason: 'no',
    context_updates: updates,
    ...more,
  });
  test.each<[attributes: string, reported: Outcome, attempts: number]>([
    ['retry_when="context.code=75", max_retries=2', failing({ code: 75 }), 3],
    ['retry_when="context.code=75", max_retries=2', failing({ code: 1 }), 1],
    ['retry_when="context.code=75", max_retries=2', failing({ code: 1 }, { retryable: true }), 3],
    ['retry_when="context.code=75", max_retries=2', failing({ code: 75 }, { retryable: false }), 3],
    ['retry_when="true", max_retries=1, fail_when="context.n=1"', success({ n: 1 }), 2],
    ['retry_when="true", max_retries=1, fail_when="context.n=1"', success({ n: 2 }), 1],
    ['retry_when="true"', failing({}), 1],
  ])('%s of %j: %i attempts', async (attributes, reported, attempts) => {
    const { events } = await stage(attributes, reported);
    const begun = eventsOf(events, 'StageStarted').filter(({ node_id }) => node_id === 'a');
    expect(begun).toHaveLength(attempts);
  });
});

describe('110: no rule of a node is judged by a value that was cut or put aside', () => {
  const large = 'x'.repeat(200_000);
  const cut = { 'tool.output': 'end', 'internal.cut.tool.output': 70_000 };
  test.each<[attributes: string, reported: Outcome, reason: RegExp]>([
    [
      'fail_when="context.big contains y"',
      success({ big: large }),
      /^fail_when of "a" cannot be judged: .*`context\.big`, whose 200002 bytes/,
    ],
    [
      'fail_when="tool.output contains y"',
      success(cut),
      /^fail_when of "a" cannot be judged: .*`tool\.output`, which has 70000 bytes/,
    ],
    [
      'retry_when="tool.output contains y", max_retries=2',
      { status: 'fail', failure_reason: 'no', context_updates: cut },
      /^no; retry_when of "a" cannot be judged: .*`tool\.output`/,
    ],
  ])('%s', async (attributes, reported, reason) => {
    const { outcome } = await stage(`tool_command=a, ${attributes}`, reported, {}, 'tool');
    expect(outcome).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringMatching(reason),
      retryable: false,
      failure_category: 'terminal',
    });
  });
});

describe('103: output=json', () => {
  const printing = (text: string, more = '') =>
    pipeline(
      `a [shape=parallelogram, prompt="", output=json, tool_command="${text}"${more}]`,
      'b [shape=parallelogram, prompt="", tool_command="echo done"]',
      'start -> a -> b -> exit',
    );

  test('is the value, and its members are the keys of writes', async () => {
    const dot = printing(
      String.raw`echo '{\"plan\": [1, 2], \"n\": 3, \"__proto__\": 1}'`,
      ', writes="plan: list, n: integer", "assign.first"="${tool.json.plan.0}"',
    );
    const { result, events } = await runOnDisk(dot);
    expect(outcomeOf(events)?.context_updates).toMatchObject({
      'tool.json': JSON.parse('{"plan": [1, 2], "n": 3, "__proto__": 1}'),
      plan: [1, 2],
      n: 3,
    });
    expect(result.context).toMatchObject({ plan: [1, 2], n: 3, first: 1 });
    // The next tool has removed it.
    expect(result.context).not.toHaveProperty(['tool.json']);
  });

  test('the next tool reads it in its command; its own rules and the edges behind it do not', async () => {
    const { result } = await runOnDisk(
      pipeline(
        String.raw`a [shape=parallelogram, prompt="", output=json, tool_command="echo '{\"n\": 3}'"]`,
        'b [shape=parallelogram, prompt="", tool_command="echo ${tool.json.n}", fail_when="tool.json.n=3", "assign.n"="${tool.json.n}"]',
        'c [shape=parallelogram, prompt="", tool_command="echo no"]',
        'start -> a -> b',
        'b -> c [condition="tool.json.n=3"]',
        'b -> exit [condition="tool.json.n!=3"]',
        'c -> exit',
      ),
    );
    expect(result).toMatchObject({ status: 'success', path: ['start', 'a', 'b', 'exit'] });
    expect(result.context).toMatchObject({ 'tool.last_line': '3', n: null });
  });

  test.each([
    ['true', 'it is empty'],
    ['echo hello', 'it is not: Unexpected token'],
    ['echo 1 2', 'it is not: Unexpected'],
    ['echo [1', 'it is not: '],
  ])('%s: no JSON, no success', async (command, problem) => {
    const { events } = await runOnDisk(printing(command));
    expect(outcomeOf(events)).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining(
        `"a" has output=json, so its standard output must be exactly one JSON value, but ${problem}`,
      ),
      failure_category: 'terminal',
      context_updates: { 'tool.exit_code': 0 },
    });
  });

  test('another exit code stays that failure, with the value if there is one', async () => {
    const { events } = await runOnDisk(printing('echo [1]; exit 3'));
    expect(outcomeOf(events)).toMatchObject({
      failure_reason: expect.stringContaining('exit code 3'),
      context_updates: { 'tool.json': [1] },
    });
    const other = await runOnDisk(printing('echo oops; exit 3'));
    expect(outcomeOf(other.events)).toMatchObject({ failure_reason: expect.stringContaining('exit code 3') });
  });

  test('a large value is put aside whole', async () => {
    const dot = printing(
      "seq 1 200000 | sed '1s/^/[/; $!s/$/,/; $s/$/]/'",
      ', "assign.last"="${tool.json.199999}"',
    );
    const { result, events } = await runOnDisk(dot);
    expect(outcomeOf(events)?.context_updates?.['tool.json']).toMatchObject({
      $artifact: 'a.1.1.context.tool.json',
    });
    expect(result.context.last).toBe(200_000);
  });
});

test('103: a resumed run does not judge again, and replay --with judges by the other rules', async () => {
  const dot = (least: number) =>
    pipeline(`a [type=x, prompt="", fail_when="context.score < ${least}"]`, 'start -> a -> exit');
  const { directory } = await stage('fail_when="context.score < 3"', success({ score: 2 }));
  const handlers = { x: () => success({ score: 5 }) };
  const now = async (least: number) =>
    (await reroute(directory, programOf(dot(least), ['x']), fileSystemOf(directory))).now.end.status;
  expect([await now(3), await now(2)]).toEqual(['fail', 'success']);
  expect((await resumePipeline(directory, { handlers })).result.status).toBe('success');
});
