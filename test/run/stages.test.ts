import { describe, expect, test } from 'vitest';
import {
  eventsOf,
  fileOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runPipeline,
  type Setup,
  testEach,
} from './harness.js';

interface Case extends Setup {
  readonly name: string;
  /** The last stage is `last`, whose prompt is looked at. */
  readonly dot: string;
  readonly prompt: string;
  readonly directory?: string;
}

function promptOf({ directory }: PipelineRun, ...place: readonly string[]): string {
  return (
    fileOf(directory, ...place, 'prompt.md')
      .split('\n---\n\n')
      .at(-1) ?? ''
  );
}

/** A stage `last` that says values of others in its prompt, `|` between them. */
function last(...paths: readonly string[]): string {
  return `last [prompt="${paths.map((path) => `\${${path}}`).join('|')}", fidelity=full]; last -> exit`;
}

const cases: readonly Case[] = [
  {
    name: 'what a stage said',
    dot: pipeline(
      'a',
      'b',
      'start -> a -> b -> last',
      last('stages.a.outcome', 'stages.a.success', 'stages.a.notes', 'stages.a.preferred_label'),
    ),
    script: { a: { outcome: 'partial_success', notes: 'half', preferred_label: 'Next' } },
    prompt: 'partial_success|true|half|Next',
  },
  {
    name: 'how a stage failed',
    dot: pipeline(
      'a',
      'b',
      'start -> a; a -> b [condition="outcome=fail"]; a -> exit; b -> last',
      last('stages.a.success', 'stages.a.failure_reason', 'stages.a.failure_category', 'stages.a.notes'),
    ),
    script: { a: { outcome: 'fail', failure_reason: 'red', failure_category: 'terminal', retryable: false } },
    prompt: 'false|red|terminal|',
  },
  {
    name: 'the latest failure',
    dot: pipeline(
      'a',
      'b',
      'start -> a; a -> b [condition="outcome=fail"]; a -> exit; b -> last',
      last('internal.last_failure.node', 'internal.last_failure.reason', 'internal.last_failure.category'),
    ),
    script: { a: { outcome: 'fail', failure_reason: 'red', failure_category: 'terminal', retryable: false } },
    prompt: 'a|red|terminal',
  },
  {
    name: 'values of its own',
    dot: pipeline(
      'a [shape=parallelogram, tool_command="a"]',
      'b [shape=hexagon]',
      'start -> a -> b -> last',
      last('stages.a.json.n', 'stages.a.json.list.*.x', 'stages.b.text'),
    ),
    script: {
      a: { context_updates: { 'tool.json': { n: 3, list: [{ x: 1 }, {}] } } },
      b: { context_updates: { 'human.gate.text': 'careful' } },
    },
    prompt: '3|[1,null]|careful',
  },
  {
    name: 'what a diamond passed on',
    dot: pipeline(
      'a',
      'd [shape=diamond]',
      'start -> a -> d; d -> last [condition="outcome=fail"]; d -> exit',
      last('stages.d.outcome', 'stages.d.failure_reason', 'stages.d.visits'),
    ),
    script: { a: { outcome: 'fail', failure_reason: 'red' } },
    prompt: 'fail|red|1',
  },
  {
    name: 'retries, which a success does not reset',
    dot: pipeline('a [max_retries=3]', 'start -> a -> last', last('stages.a.retries', 'stages.a.visits')),
    script: { a: [{ outcome: 'retry' }, { outcome: 'retry' }, { outcome: 'success' }] },
    prompt: '2|1',
  },
  {
    name: 'visits begun, of which the running one is not settled',
    dot: pipeline(
      'last [fidelity=full, prompt="${stages.last.visits}|${stages.last.notes}|${stages.never.visits}|${stages.never.notes}"]',
      'never',
      'start -> last; last -> last [condition="stages.last.visits < 3"]; last -> exit; never -> exit',
      'last -> never [condition="outcome=fail"]',
    ),
    backend: {
      run: async (_node, _prompt, _context, { visit }) => ({ status: 'success', notes: `note ${visit}` }),
    },
    prompt: '3|note 2|0|',
  },
  {
    name: 'not the context, whoever sets it there',
    dot: pipeline(
      'a',
      'start -> a -> last',
      last('stages.a.notes', 'context.stages.a.notes', 'stages.a.nothing'),
    ),
    script: {
      a: { notes: 'said', context_updates: { 'stages.a.notes': 'forged', stages: { a: { nothing: 1 } } } },
    },
    prompt: 'said|said|',
  },
  {
    name: 'nothing from before a restart',
    dot: pipeline(
      'a',
      'b',
      'start -> a -> b; b -> last [loop_restart=true]',
      last('stages.a.notes', 'stages.a.visits', 'stages.last.visits'),
    ),
    script: { a: { notes: 'said' } },
    directory: 'restart-1',
    prompt: '|0|1',
  },
];

/** A run of what lint refuses, too: some of these values are there for no stage. */
const unlinted: NonNullable<Setup['ruleSettings']> = new Map([['stage_value_known', 'off']]);

describe('104: what a stage said, by its name', () => {
  testEach<Case>(cases, async ({ dot, prompt, directory = '', name: _name, ...setup }) => {
    const run = await runPipeline(dot, { ruleSettings: unlinted, ...setup });
    expect(run.result.failure_reason).toBeUndefined();
    expect(promptOf(run, directory, 'last')).toBe(prompt);
  });
});

interface BranchCase extends Setup {
  readonly name: string;
  readonly dot: string;
  /** Prompts by stage. */
  readonly prompts: Readonly<Record<string, string>>;
}

const branches: readonly BranchCase[] = [
  {
    name: 'a branch sees what was before the fork, and its own stages',
    dot: pipeline(
      'a',
      'fork [shape=component, max_parallel=1]',
      'x',
      'x2 [prompt="${stages.a.notes}|${stages.x.notes}|${stages.y.notes}|${stages.y.visits}", fidelity=full]',
      'y',
      'y2 [prompt="${stages.a.notes}|${stages.x.notes}|${stages.y.notes}|${stages.x.visits}", fidelity=full]',
      'start -> a -> fork; fork -> x -> x2 -> last; fork -> y -> y2 -> last',
      last('stages.a.notes', 'stages.x.notes', 'stages.y.notes', 'stages.y.visits'),
    ),
    script: { a: { notes: 'A' }, x: { notes: 'X' }, y: { notes: 'Y' } },
    prompts: { x2: 'A|X||0', y2: 'A||Y|0', last: 'A|X|Y|1' },
  },
  {
    name: 'every branch by its index, also of stages that several execute',
    dot: pipeline(
      'fork [shape=component, max_parallel=1]',
      'x',
      'y',
      'z',
      'check',
      'start -> fork; fork -> x -> check; fork -> y -> check -> last; fork -> z -> last',
      last(
        'stages.check.notes',
        'parallel.results.0.stages.check.notes',
        'parallel.results.*.stages.check.notes',
        'parallel.results.*.stages.x.outcome',
        'parallel.results.1.stages.check.visits',
        'parallel.results.7.stages.check.visits',
        'parallel.results.*.stages.y.visits',
      ),
    ),
    script: { check: [{ notes: 'one' }, { notes: 'two' }], x: { notes: 'X' } },
    prompts: { last: '|one|["one","two",null]|["success",null,null]|1||[0,1,0]' },
  },
  {
    name: 'under error_policy=ignore by the index in the results',
    dot: pipeline(
      'fork [shape=component, error_policy=ignore]',
      'x',
      'y',
      'start -> fork; fork -> x -> last; fork -> y -> last',
      last('parallel.results.*.stages.y.notes', 'stages.x.outcome'),
    ),
    script: { x: { outcome: 'fail', failure_reason: 'red' }, y: { notes: 'Y' } },
    prompts: { last: '["Y"]|fail' },
  },
  {
    name: 'a visit counts for its branch, as for max_visits',
    dot: pipeline(
      'fork [shape=component, max_parallel=1]',
      'x',
      'y',
      'z',
      'loop',
      'start -> fork; fork -> x -> loop; fork -> y -> loop; fork -> z -> last',
      'loop -> loop [condition="stages.loop.visits < 2"]; loop -> last',
      last('parallel.results.*.stages.loop.visits'),
    ),
    prompts: { last: '[2,2,0]' },
  },
  {
    name: 'a stage of nested branches, as far as only one can execute it',
    dot: pipeline(
      'outer [shape=component]',
      'inner [shape=component]',
      'p',
      'q',
      'mid',
      'r',
      'start -> outer; outer -> inner; inner -> p -> mid; inner -> q -> mid; mid -> last; outer -> r -> last',
      last('stages.p.notes', 'stages.q.notes', 'stages.mid.notes', 'parallel.results.*.stages.p.notes'),
    ),
    script: { p: { notes: 'P' }, q: { notes: 'Q' }, mid: { notes: 'M' } },
    prompts: { last: 'P|Q|M|["P",null]' },
  },
  {
    name: 'the latest visit in a loop around the branches',
    dot: pipeline(
      'fork [shape=component]',
      'x [prompt="${stages.x.visits}|${stages.x.notes}|${stages.y.notes}", fidelity=full]',
      'y',
      'again',
      'start -> fork; fork -> x -> again; fork -> y -> again',
      'again -> fork [condition="stages.again.visits=1"]; again -> last',
      last('stages.x.notes', 'stages.x.visits'),
    ),
    script: { y: { notes: 'Y' } },
    backend: {
      run: async (_node, _prompt, _context, { visit }) => ({ status: 'success', notes: `note ${visit}` }),
    },
    prompts: { x: '2|note 1|Y', last: 'note 2|2' },
  },
];

describe('104: branches', () => {
  testEach<BranchCase>(branches, async ({ dot, prompts, name: _name, ...setup }) => {
    const run = await runPipeline(dot, { ruleSettings: unlinted, ...setup });
    expect(run.result.failure_reason).toBeUndefined();
    const found = Object.keys(prompts).map((node) => [node, promptOf(run, node)]);
    expect(Object.fromEntries(found)).toEqual(prompts);
  });
});

const threeTries = pipeline(
  'check [shape=parallelogram, tool_command="true"]',
  'fix',
  'ask [shape=hexagon, label="Fix it by hand?"]',
  'start -> check',
  'check -> exit [condition="outcome=success"]',
  'check -> fix [condition="outcome=fail && stages.fix.visits < 3"]',
  'check -> ask [condition="outcome=fail && stages.fix.visits >= 3"]',
  'fix -> check; ask -> exit [label="[Y] Yes"]; ask -> fix [label="[N] No"]',
);

test('104: three tries, then a person', async () => {
  const { result } = await runPipeline(threeTries, {
    script: { check: { outcome: 'fail', failure_reason: 'red' } },
    answers: { ask: 'Y' },
  });
  expect(result.path.join(' ')).toBe('start check fix check fix check fix check ask exit');
});

/** Fails the first time that it is asked for a stage. */
function failsOnceAt(id: string): Setup {
  let isFirst = true;
  return {
    backend: {
      run: async (node) => {
        if (node.id !== id || !isFirst) return { status: 'success', notes: node.id.toUpperCase() };
        isFirst = false;
        return { status: 'fail', failure_reason: 'red', retryable: false };
      },
    },
  };
}

test('104: a resumed run knows what was said before', async () => {
  const dot = pipeline(
    'a',
    'fork [shape=component]',
    'x',
    'y',
    'start -> a -> fork; fork -> x -> last; fork -> y -> last',
    last('stages.a.notes', 'stages.x.notes', 'stages.x.visits', 'parallel.results.*.stages.x.notes'),
  );
  const setup = failsOnceAt('last');
  const first = await runPipeline(dot, setup);
  expect(first.result.status).toBe('fail');
  const second = await resumePipeline(first.directory, setup);
  expect(second.result.status).toBe('success');
  expect(promptOf(second, 'last')).toBe('A|X|1|["X",null]');
});

test('104: a branch that continues after a failure knows its own', async () => {
  const dot = pipeline(
    'fork [shape=component, join_policy=quorum, join_quorum=1]',
    'x',
    'x2 [prompt="${stages.x.notes}|${stages.x2.visits}", fidelity=full]',
    'y',
    'start -> fork; fork -> x -> x2 -> last; fork -> y -> last',
    last('stages.x.notes', 'stages.y.notes', 'parallel.results.*.stages.y.notes'),
  );
  const setup = failsOnceAt('x2');
  const first = await runPipeline(dot, setup);
  expect(first.result.status).toBe('fail');
  const second = await resumePipeline(first.directory, setup);
  expect(second.result.status).toBe('success');
  expect([promptOf(second, 'x2'), promptOf(second, 'last')]).toEqual(['X|2', 'X|Y|[null,"Y"]']);
  expect(eventsOf(second.events, 'StageStarted').map(({ node_id }) => node_id)).not.toContain('y');
});
