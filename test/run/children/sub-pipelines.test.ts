import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Question } from '../../../src/machine/interview.js';
import type { ChildOrigin } from '../../../src/run/run.js';
import { eventsOf, fileOf, fork, jsonOf, pipeline, resumePipeline, runOnDisk, testEach } from '../harness.js';
import { projectOf, runProject, subPipeline, writtenBefore } from './children.js';

const child = pipeline('work', 'start -> work -> exit');
const gated = pipeline(
  'ask [shape=hexagon]',
  'start -> ask',
  'ask -> exit [label="[Y] Yes"]',
  'ask -> exit [label="[N] No"]',
);

describe('9.4: a sub-pipeline node runs an entire graph as its execution', () => {
  test('as a run of its own: directory, journal, manifest, checkpoint, result', async () => {
    const { result, directory } = await runProject({ 'main.dot': subPipeline(), 'child.dot': child });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'sub', 'exit'] });
    const own = path.join(directory, 'sub/child');
    expect(jsonOf(own, 'result.json')).toMatchObject({ status: 'success', path: ['start', 'work', 'exit'] });
    expect(jsonOf(own, 'checkpoint.json')).toMatchObject({ status: 'success' });
    expect(fileOf(own, 'pipeline.dot')).toBe(child);
    expect(fileOf(own, 'events.jsonl')).toContain('"PipelineCompleted"');
    expect(existsSync(path.join(own, 'lock'))).toBe(false);
    expect(jsonOf(own, 'manifest.json')).toMatchObject({
      parent_run: result.run_id,
      parent: { run_id: result.run_id, node_id: 'sub', visit: 1, attempt: 1 },
      depth: 1,
    });
  });

  test('its result becomes that of the stage, with what its stages have put into the context', async () => {
    const { result } = await runProject(
      { 'main.dot': subPipeline(', "params.given"=1, "params.raised"=1'), 'child.dot': child },
      { script: { 'sub/work': { context_updates: { score: 7, 'a.b': ['x'], raised: 2 } } } },
    );
    const { context } = result;
    expect(context).toMatchObject({
      'child.status': 'success',
      'child.quality': 'clean',
      'child.steps': 1,
      'child.failure_reason': null,
      'child.context.score': 7,
      'child.context.a.b': ['x'],
      'child.context.raised': 2,
    });
    expect(context['child.run_dir']).toBe(path.join(result.run_dir, 'sub/child'));
    const told = Object.keys(context).filter((key) => key.startsWith('child.context.'));
    expect(told.sort()).toEqual(['child.context.a.b', 'child.context.raised', 'child.context.score']);
  });

  test('what an earlier child has left is not taken for what this one says', async () => {
    const dot = pipeline(
      'one [type=pipeline, child="child.dot"]',
      'two [type=pipeline, child="child.dot"]',
      'start -> one -> two -> exit',
    );
    const { result } = await runProject(
      { 'main.dot': dot, 'child.dot': child },
      { script: { 'one/work': { context_updates: { only_one: 1 } }, 'two/work': {} } },
    );
    expect(result.context['child.context.only_one']).toBeNull();
  });

  test('large values of a child reach its parent', async () => {
    const text = 'x'.repeat(300_000);
    const asks = pipeline('after', 'sub [type=pipeline, child="child.dot"]', 'start -> sub -> after -> exit');
    let seen: unknown;
    await runProject(
      { 'main.dot': asks, 'child.dot': pipeline('big [type=big]', 'start -> big -> exit') },
      {
        handlers: {
          big: () => ({ status: 'success', context_updates: { text } }),
          codergen: ({ context }) => {
            seen = context.get('child.context.text');
            return { status: 'success' };
          },
        },
      },
    );
    expect(seen).toBe(text);
  });

  test('a child that fails fails its stage, with its reason and the node at which it failed', async () => {
    const { result } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': child },
      { script: { 'sub/work': { outcome: 'fail', failure_reason: 'no luck' } } },
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: 'sub' });
    expect(result.failure_reason).toBe('the pipeline child.dot failed at "work": no luck');
    expect(result.context).toMatchObject({ 'child.status': 'fail', 'child.failed_node': 'work' });
  });

  test('a child that was only partly successful is a success, and the notes say so', async () => {
    const { events } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': child },
      { script: { 'sub/work': { outcome: 'partial_success' } } },
    );
    const [settled] = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'sub');
    expect(settled?.outcome).toMatchObject({ status: 'success' });
    expect(settled?.outcome.notes).toContain('degraded');
  });

  test('the file is seen from the file of the parent, a child of the child from that of the child', async () => {
    const outer = pipeline('sub [type=pipeline, child="parts/middle.dot"]', 'start -> sub -> exit');
    const middle = pipeline('deeper [type=pipeline, child="inner.dot"]', 'start -> deeper -> exit');
    const { result, directory } = await runProject({
      'main.dot': outer,
      'parts/middle.dot': middle,
      'parts/inner.dot': child,
    });
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 'sub/child/deeper/child/manifest.json')).toMatchObject({ depth: 2 });
  });

  test('without a file of the parent it is seen from the working directory', async () => {
    const workingDirectory = projectOf({ 'child.dot': child });
    expect((await runOnDisk(subPipeline(), { workingDirectory })).result.status).toBe('success');
  });

  test('events of children reach the observer, with the nodes that run them', async () => {
    const seen: string[] = [];
    const onChildEvent = ({ type }: { type: string }, { path: nodes, program }: ChildOrigin): void => {
      if (type === 'PipelineCompleted') seen.push(`${nodes.join('/')} of ${program.nodes.size} nodes`);
    };
    const middle = pipeline('deeper [type=pipeline, child="inner.dot"]', 'start -> deeper -> exit');
    await runProject(
      { 'main.dot': subPipeline(), 'child.dot': middle, 'inner.dot': child },
      { onChildEvent },
    );
    expect(seen).toEqual(['sub/deeper of 3 nodes', 'sub of 3 nodes']);
  });
});

describe('params.*: the inputs of the child', () => {
  test('keep the types in which they are written, and take values of the run', async () => {
    const attributes = [
      '"params.number"=3',
      '"params.flag"=true',
      '"params.time"=15m',
      '"params.text"="for ${inputs.who}"',
      '"params.list"="${inputs.list}"',
    ];
    const { directory } = await runProject(
      { 'main.dot': subPipeline(`, ${attributes.join(', ')}`), 'child.dot': child },
      { inputs: { who: 'you', list: [1, { a: 2 }] } },
    );
    const inputs = { number: 3, flag: true, time: '15m', text: 'for you', list: [1, { a: 2 }] };
    expect(jsonOf(directory, 'sub/child/manifest.json').inputs).toEqual(inputs);
    expect(jsonOf(directory, 'sub/child/result.json').context).toMatchObject({
      'inputs.text': 'for you',
      text: 'for you',
    });
  });

  test('are nothing of the parent that is not named', async () => {
    const { directory } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': child },
      { inputs: { secret: 1 } },
    );
    expect(jsonOf(directory, 'sub/child/manifest.json').inputs).toEqual({});
  });

  test('a value that is missing fails the stage under strict values', async () => {
    const { result } = await runProject(
      { 'main.dot': subPipeline(', "params.a"="${inputs.none}"'), 'child.dot': child },
      { strictValues: true },
    );
    expect(result.failure_reason).toContain('inputs.none');
  });
});

test('the child runs where workdir says', async () => {
  const tool = pipeline('t [shape=parallelogram, tool_command="pwd"]', 'start -> t -> exit');
  const files = { 'main.dot': subPipeline(', workdir="below"'), 'child.dot': tool };
  const project = projectOf(files);
  mkdirSync(path.join(project, 'below'));
  const options = { workingDirectory: project, sourcePath: path.join(project, 'main.dot') };
  const { result } = await runOnDisk(files['main.dot'], options);
  expect(String(result.context['child.context.tool.last_line'])).toMatch(/\/below$/);
});

describe('a pipeline that cannot be run', () => {
  const broken = 'digraph B {\n  start [shape=Mdiamond]\n  start -> nowhere\n}\n';
  const cases: readonly { name: string; main: string; child?: string; reason: string | RegExp }[] = [
    {
      name: 'no child is named',
      main: pipeline('sub [type=pipeline]', 'start -> sub -> exit'),
      reason: 'child=',
    },
    { name: 'the file is missing', main: subPipeline(), reason: 'there is no pipeline' },
    {
      name: 'lint finds errors',
      main: subPipeline(),
      child: broken,
      reason: /child\.dot:\d+:\d+: .*\[[a-z_]+\]/,
    },
    { name: 'it is not DOT', main: subPipeline(), child: 'hello', reason: /child\.dot:1:1: .*\[syntax\]/ },
  ];

  testEach(cases, async ({ main, child: text, reason }) => {
    const dot = writtenBefore(main).replace('type=pipeline', 'type=pipeline, max_retries=3');
    const { result, events } = await runProject({ 'main.dot': dot, ...(text && { 'child.dot': text }) });
    expect(result).toMatchObject({ status: 'fail', failed_node: 'sub' });
    expect(result.failure_reason).toMatch(reason);
    const [failed, ...others] = eventsOf(events, 'StageFailed');
    expect(failed?.outcome).toMatchObject({ retryable: false, failure_category: 'pipeline' });
    expect(others).toEqual([]);
  });

  test('a file that is not text', async () => {
    const project = projectOf({ 'main.dot': subPipeline() });
    writeFileSync(path.join(project, 'child.dot'), Buffer.from([0xff, 0xfe, 0x00]));
    const { result } = await runOnDisk(writtenBefore(subPipeline()), { workingDirectory: project });
    expect(result.failure_reason).toContain('it is not UTF-8 text');
  });
});

describe('113, 101: the inputs that a child declares', () => {
  const typed = pipeline('inputs="count: integer, level: low|high = low"', 'start -> exit');
  const cases: readonly { name: string; params: string; reason?: RegExp; inputs?: object }[] = [
    {
      name: 'texts are read by the declared type',
      params: '"params.count"="3", "params.level"=high',
      inputs: { count: 3, level: 'high' },
    },
    {
      name: 'so is a text of the run',
      params: '"params.count"="${inputs.text}"',
      inputs: { count: 12, level: 'low' },
    },
    {
      name: 'a value that does not fit',
      params: '"params.count"="${inputs.list}"',
      reason:
        /^the pipeline .*child\.dot does not take these inputs: count: expected an integer, found \["a"\]$/,
    },
    {
      name: 'all that is wrong at once',
      params: '"params.count"="${inputs.list}", "params.level"="${inputs.text}"',
      reason: /count: expected an integer.*; level: expected one of low, high, found "12"/,
    },
  ];

  testEach(cases, async ({ params, reason, inputs }) => {
    const dot = pipeline(
      `sub [type=pipeline, child="child.dot", ${params}]`,
      'rescue',
      'start -> sub',
      'sub -> exit [condition="outcome=success"]',
      'sub -> rescue [condition="outcome=fail"]',
      'rescue -> exit',
    );
    const { result, events, directory } = await runProject(
      { 'main.dot': dot, 'child.dot': typed },
      { inputs: { text: '12', list: ['a'] } },
    );
    if (inputs !== undefined) {
      expect(jsonOf(directory, 'sub/child/manifest.json').inputs).toEqual(inputs);
      return;
    }
    // Failure edges hold: the stage fails, and not the run.
    expect(result.path).toEqual(['start', 'sub', 'rescue', 'exit']);
    const [failed] = eventsOf(events, 'StageFailed');
    expect(failed?.outcome).toMatchObject({ retryable: false, failure_category: 'terminal' });
    expect(failed?.outcome.failure_reason).toMatch(reason ?? '');
    expect(existsSync(path.join(directory, 'sub/child'))).toBe(false);
  });

  test('run() with a text refuses what lint finds in a child, before anything is created', async () => {
    const project = projectOf({ 'child.dot': typed });
    const run = runOnDisk(subPipeline(', "params.cout"=1'), {
      workingDirectory: project,
      sourcePath: path.join(project, 'main.dot'),
    });
    await expect(run).rejects.toThrow(/child_inputs: "cout" is not an input.*did you mean "count"/);
  });

  test('what runs is the file as read when the stage begins', async () => {
    const project = projectOf({ 'child.dot': typed });
    const dot = pipeline(
      'write [type=write, label="Write child.dot"]',
      'sub [type=pipeline, child="child.dot"]',
      'start -> write -> sub -> exit',
    );
    const { result } = await runOnDisk(dot, {
      workingDirectory: project,
      handlers: {
        write: () => {
          writeFileSync(path.join(project, 'child.dot'), child);
          return { status: 'success' };
        },
      },
    });
    expect(result).toMatchObject({ status: 'success', context: { 'child.steps': 1 } });
  });
});

describe('limits.depth', () => {
  const itself = pipeline('sub [type=pipeline, child="main.dot"]', 'start -> sub -> exit');

  test('a pipeline that runs itself ends with a failure that says so', async () => {
    const { result, directory } = await runProject({ 'main.dot': itself });
    expect(result.status).toBe('fail');
    expect(result.failure_reason).toMatch(/nested 5 levels deep.*limits\.depth.*run itself/);
    const levels = Array.from({ length: 6 }, (_, level) =>
      path.join(directory, 'sub/child/'.repeat(level + 1)),
    );
    expect(levels.map((level) => existsSync(level))).toEqual([true, true, true, true, true, false]);
  });

  test('can be lowered, by every pipeline for those in it', async () => {
    const middle = pipeline(
      '"limits.depth"=0',
      'deeper [type=pipeline, child="inner.dot"]',
      'start -> deeper -> exit',
    );
    const { result } = await runProject({
      'main.dot': subPipeline(),
      'child.dot': middle,
      'inner.dot': child,
    });
    expect(result.failure_reason).toContain('nested 1 levels deep');
    const none = await runProject({ 'main.dot': subPipeline('', '"limits.depth"=0'), 'child.dot': child });
    expect(none.result.failure_reason).toContain('nested 0 levels deep');
  });
});

describe('what the child inherits', () => {
  test('the backend and the handlers', async () => {
    const own = pipeline('llm', 'own [type=mine]', 'start -> llm -> own -> exit');
    const seen: string[] = [];
    await runProject(
      { 'main.dot': subPipeline(), 'child.dot': own },
      {
        backend: { run: async (node) => String(seen.push(`backend ${node.id}`)) },
        handlers: {
          mine: ({ node }) => {
            seen.push(`handler ${node.id}`);
            return { status: 'success' };
          },
        },
      },
    );
    expect(seen).toEqual(['backend llm', 'handler own']);
  });

  test('simulation: the child really runs, and its tools do not', async () => {
    const tool = pipeline('t [shape=parallelogram, tool_command="exit 1"]', 'start -> t -> exit');
    const { result } = await runProject({ 'main.dot': subPipeline(), 'child.dot': tool }, { simulate: true });
    expect(result).toMatchObject({ status: 'success', context: { 'child.steps': 1 } });
  });

  test('simulation: a file that is not there is a simulated success', async () => {
    const dot = writtenBefore(subPipeline());
    const { result, events } = await runProject({ 'main.dot': dot }, { simulate: true });
    expect(result.status).toBe('success');
    const notes = eventsOf(events, 'StageCompleted').map(({ outcome }) => outcome.notes);
    expect(notes).toContainEqual(expect.stringContaining('[Simulated]'));
  });

  test('approval', async () => {
    const files = { 'main.dot': subPipeline(), 'child.dot': gated };
    expect((await runProject(files, { autoApprove: true })).result.status).toBe('success');
  });

  test('the way to a person, who is told which run and stage ask', async () => {
    const asked: Question[] = [];
    const middle = pipeline('deeper [type=pipeline, child="inner.dot"]', 'start -> deeper -> exit');
    const { directory } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': middle, 'inner.dot': gated },
      {
        interviewer: {
          ask: async (question) => {
            asked.push(question);
            return { value: 'Y' };
          },
        },
      },
    );
    const inner = jsonOf(directory, 'sub/child/deeper/child/manifest.json').run_id;
    expect(asked).toMatchObject([
      {
        id: `${inner}.ask.1.1.1`,
        stage: 'sub/deeper/ask',
        metadata: { 'attractor.child_run': inner, 'attractor.child_node': 'ask' },
      },
    ]);
  });
});

describe('scripts and answers name stages of a child after its node', () => {
  const files = { 'main.dot': subPipeline(), 'child.dot': gated };

  test('answers', async () => {
    const { result } = await runProject(files, { answers: { 'sub/ask': 'N' } });
    expect(result.context['child.context.human.gate.selected']).toBe('N');
  });

  test('outcomes, three levels deep', async () => {
    const middle = pipeline('deeper [type=pipeline, child="inner.dot"]', 'start -> deeper -> exit');
    const { result } = await runProject(
      { 'main.dot': subPipeline(), 'child.dot': middle, 'inner.dot': child },
      { script: { 'sub/deeper/work': { outcome: 'fail', failure_reason: 'deep down' } } },
    );
    expect(result.failure_reason).toContain('deep down');
  });

  test('the node itself can be scripted: then no child runs', async () => {
    const { result, directory } = await runProject(files, { script: { sub: {} } });
    expect(result.status).toBe('success');
    expect(existsSync(path.join(directory, 'sub/child'))).toBe(false);
  });

  test('of a node that runs no pipeline, they are refused at once', async () => {
    const run = runProject({ ...files, 'main.dot': fork('', '') }, { script: { 'a/b': {} } });
    await expect(run).rejects.toThrow('the script names "a/b"');
    await expect(runProject(files, { answers: { 'other/ask': 'Y' } })).rejects.toThrow('"other/ask"');
  });

  test('that do not fit the child fail its stage', async () => {
    const { result } = await runProject(files, { answers: { 'sub/ask': 'Z' } });
    expect(result.failure_reason).toContain('"Z" does not answer "ask"');
  });
});

describe('each attempt and each visit has a child of its own', () => {
  test('a retry runs in child-2', async () => {
    const { result, directory } = await runProject(
      {
        'main.dot': subPipeline(', max_retries=1'),
        'child.dot': pipeline('t [type=flaky]', 'start -> t -> exit'),
      },
      { handlers: { flaky: flaky() } },
    );
    expect(result.status).toBe('success');
    expect(jsonOf(directory, 'sub/child/result.json').status).toBe('fail');
    expect(jsonOf(directory, 'sub/child-2/result.json').status).toBe('success');
  });

  test('the child of an earlier visit lies with its files', async () => {
    const dot = pipeline(
      'sub [type=pipeline, child="child.dot", retry_target=again]',
      'again',
      'start -> sub -> exit',
      'again -> sub',
    );
    const { result, directory } = await runProject(
      { 'main.dot': dot, 'child.dot': pipeline('t [type=flaky]', 'start -> t -> exit') },
      { handlers: { flaky: flaky() } },
    );
    expect(result.path).toEqual(['start', 'sub', 'again', 'sub', 'exit']);
    expect(jsonOf(directory, 'sub/visit-1/child/result.json').status).toBe('fail');
    expect(jsonOf(directory, 'sub/child/result.json').status).toBe('success');
    expect(jsonOf(directory, 'sub/child/manifest.json').parent).toMatchObject({ visit: 2 });
  });

  test('branches that share a stage have one each', async () => {
    const dot = pipeline(
      'fork [shape=component]',
      'one',
      'two',
      'sub [type=pipeline, child="child.dot", "params.branch"="${context.name}"]',
      'join [shape=tripleoctagon]',
      'start -> fork',
      'fork -> one -> sub',
      'fork -> two -> sub',
      'sub -> join -> exit',
    );
    const { result, directory } = await runProject(
      { 'main.dot': dot, 'child.dot': child },
      {
        script: { one: { context_updates: { name: 'one' } }, two: { context_updates: { name: 'two' } } },
      },
    );
    expect(result.status).toBe('success');
    const inputs = [1, 2].map((index) => jsonOf(directory, `sub/branch-${index}/child/manifest.json`).inputs);
    expect(inputs).toEqual([{ branch: 'one' }, { branch: 'two' }]);
  });
});

/** Fails the first time. */
function flaky() {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? { status: 'fail' as const, failure_reason: 'red' } : { status: 'success' as const };
  };
}

test('a run that failed because its child failed continues in that child', async () => {
  const steps = pipeline('first [type=noted]', 'second [type=flaky]', 'start -> first -> second -> exit');
  const noted: string[] = [];
  const handlers = {
    flaky: flaky(),
    noted: () => {
      noted.push('first');
      return { status: 'success' as const };
    },
  };
  const { result, directory } = await runProject(
    { 'main.dot': subPipeline(), 'child.dot': steps },
    { handlers },
  );
  expect(result.status).toBe('fail');
  const again = await resumePipeline(directory, { handlers });
  expect(again.result.status).toBe('success');
  expect(noted).toEqual(['first']);
  expect(jsonOf(directory, 'sub/child/manifest.json').parent).toMatchObject({ visit: 2 });
  expect(jsonOf(directory, 'sub/child/result.json').path).toEqual([
    'start',
    'first',
    'second',
    'second',
    'exit',
  ]);
  expect(readFileSync(path.join(directory, 'sub/visit-1/status.json'), 'utf8')).toContain('red');
});
