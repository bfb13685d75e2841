import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/handlers/handler.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { eventsOf, fileOf, jsonOf, pipeline, testEach } from '../harness.js';
import { managed, runProject, writtenBefore } from './children.js';

const child = pipeline('work', 'start -> work -> exit');
/** A child that is busy for an hour. */
const slow = pipeline('work [type=hour]', 'start -> work -> exit');

const hour = async ({ sleep }: Stage) => {
  await sleep(3_600_000);
  return { status: 'success' as const };
};

const warningsOf = (events: Parameters<typeof eventsOf>[0]) =>
  eventsOf(events, 'LogAppended')
    .filter(({ level }) => level === 'warning')
    .map(({ message }) => message);

describe('4.11: the child', () => {
  test('is started, and its success is that of the manager', async () => {
    const { result, events, directory } = await runProject({ 'main.dot': managed(), 'child.dot': child });
    expect(result.status).toBe('success');
    const [lead] = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'lead');
    expect(lead?.outcome.notes).toBe('Child completed');
    expect(jsonOf(directory, 'lead/child/result.json')).toMatchObject({ status: 'success' });
  });

  test('that fails fails the manager', async () => {
    const { result } = await runProject(
      { 'main.dot': managed(), 'child.dot': child },
      { script: { 'lead/work': { outcome: 'fail', failure_reason: 'broken' } } },
    );
    expect(result.failure_reason).toMatch(/^Child failed: .*at "work": broken$/);
  });

  test('64: is seen from the file of the parent, and runs in stack.child_workdir', async () => {
    const tool = pipeline('t [shape=parallelogram, tool_command="pwd"]', 'start -> t -> exit');
    const main = managed('', '"stack.child_workdir"="parts"').replace('child.dot', 'parts/child.dot');
    // A real process does not wait for a virtual clock.
    const { result } = await runProject(
      { 'main.dot': main, 'parts/child.dot': tool },
      { clock: systemClock },
    );
    expect(String(result.context['stack.child.context.tool.last_line'])).toMatch(/\/parts$/);
  });

  test('gets inputs, and may be named at the node, so that one pipeline may have several managers', async () => {
    const main = managed(', child="other.dot", "params.a"=1');
    const { directory } = await runProject({ 'main.dot': main, 'other.dot': child });
    expect(jsonOf(directory, 'lead/child/manifest.json')).toMatchObject({ inputs: { a: 1 } });
  });

  test.each(['"true"', 'true'])('64: is started under stack.child_autostart=%s', async (written) => {
    const main = managed(`, "stack.child_autostart"=${written}`);
    const { directory } = await runProject({ 'main.dot': main, 'child.dot': child });
    expect(existsSync(path.join(directory, 'lead/child/result.json'))).toBe(true);
  });

  test('64: no dotfile with autostart is a failure', async () => {
    const main = pipeline('lead [shape=house]', 'start -> lead -> exit');
    const { result } = await runProject({ 'main.dot': main });
    expect(result.failure_reason).toContain('stack.child_dotfile');
  });

  test('a file that does not exist is a failure; simulated, a success', async () => {
    const files = { 'main.dot': writtenBefore(managed()) };
    expect((await runProject(files)).result.failure_reason).toContain('there is no pipeline');
    expect((await runProject(files, { simulate: true })).result.status).toBe('success');
  });

  test('what lint refuses is a failure', async () => {
    const dot = writtenBefore(managed());
    const { result } = await runProject({ 'main.dot': dot, 'child.dot': 'digraph G { a -> b }' });
    expect(result.failure_reason).toMatch(/child\.dot:1:\d+: /);
  });

  test('really runs in a simulation', async () => {
    const { directory } = await runProject({ 'main.dot': managed(), 'child.dot': child }, { simulate: true });
    expect(jsonOf(directory, 'lead/child/result.json').path).toEqual(['start', 'work', 'exit']);
  });
});

describe('4.11: observe', () => {
  test('ingests the telemetry: active stage, outcomes, retry counts, artifacts', async () => {
    const busy = pipeline(
      'first [type=stores]',
      'second [type=flaky, max_retries=2, retry_policy=linear]',
      'third [type=hour]',
      'start -> first -> second -> third -> exit',
    );
    let attempts = 0;
    const { result, directory } = await runProject(
      {
        'main.dot': managed(', "manager.stop_condition"="stack.child.active_stage=third"'),
        'child.dot': busy,
      },
      {
        handlers: {
          hour,
          stores: ({ artifacts }) => {
            artifacts.store('notes', 'notes', 'text');
            return { status: 'success' };
          },
          flaky: () => {
            attempts += 1;
            return attempts === 1 ? { status: 'retry', failure_reason: 'not yet' } : { status: 'success' };
          },
        },
      },
    );
    expect(result.context).toMatchObject({
      'stack.child.status': 'running',
      'stack.child.outcome': '',
      'stack.child.active_stage': 'third',
      'stack.child.active_stages': ['third'],
      'stack.child.last_stage': 'second',
      'stack.child.completed_count': 2,
      'stack.child.retries': 1,
      'stack.child.failures': 1,
      'stack.child.artifacts': 1,
      'stack.child.run_dir': path.join(directory, 'lead/child'),
    });
    expect(result.context['stack.child.last_event']).toContain('third');
  });

  test('ingests how the child ended, and what its stages have put into the context', async () => {
    const { result } = await runProject(
      { 'main.dot': managed(), 'child.dot': child },
      { script: { 'lead/work': { context_updates: { score: 7 } } } },
    );
    expect(result.context).toMatchObject({
      'stack.child.status': 'completed',
      'stack.child.outcome': 'success',
      'stack.child.quality': 'clean',
      'stack.child.active_stages': [],
      'stack.child.context.score': 7,
    });
  });

  test('is left out where it is not an action: the manager then does not see the end', async () => {
    const { result } = await runProject({
      'main.dot': managed(', "manager.actions"=wait, "manager.max_cycles"=3'),
      'child.dot': child,
    });
    expect(result.failure_reason).toBe('Max cycles exceeded');
    expect(result.context['stack.child.status']).toBeUndefined();
  });
});

describe('4.11: wait', () => {
  test('sleeps for the poll interval, between cycles', async () => {
    const clock = virtualClock();
    await runProject(
      { 'main.dot': managed(', "manager.poll_interval"=20m'), 'child.dot': slow },
      { clock, handlers: { hour } },
    );
    const polls = clock.slept.filter((milliseconds) => milliseconds === 1_200_000);
    expect([3, 4]).toContain(polls.length);
  });

  test('is 45 seconds by default', async () => {
    const clock = virtualClock();
    await runProject({ 'main.dot': managed(), 'child.dot': slow }, { clock, handlers: { hour } });
    expect(clock.slept).toContain(45_000);
  });

  test('ends when the child ends', async () => {
    const clock = virtualClock();
    const { result } = await runProject(
      { 'main.dot': managed(', "manager.poll_interval"=10h'), 'child.dot': slow },
      { clock, handlers: { hour } },
    );
    expect(result.status).toBe('success');
    expect(result.duration_ms).toBeLessThan(2 * 3_600_000);
  });
});

describe('4.11: the stop condition', () => {
  test('ends the manager with success, and the child with it', async () => {
    const { result, events, directory } = await runProject(
      { 'main.dot': managed(', "manager.stop_condition"="stack.child.status=running"'), 'child.dot': slow },
      { handlers: { hour } },
    );
    expect(result.status).toBe('success');
    const [lead] = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'lead');
    expect(lead?.outcome.notes).toBe('Stop condition satisfied');
    expect(jsonOf(directory, 'lead/child/result.json').status).toBe('cancelled');
    expect(existsSync(path.join(directory, 'lead/child/lock'))).toBe(false);
  });

  const seen: readonly { name: string; condition: string }[] = [
    { name: '64: keys with the prefix context. count too', condition: 'context.stack.child.status=running' },
    { name: 'the context of the run', condition: 'inputs.enough=true' },
    { name: 'the outcome that the manager was entered with', condition: 'outcome=partial_success' },
    { name: 'the result of the stage before', condition: 'result.notes=done' },
  ];
  testEach(seen, async ({ condition }) => {
    const main = pipeline(
      '"stack.child_dotfile"="child.dot"',
      'before',
      `lead [shape=house, "manager.stop_condition"="${condition}"]`,
      'start -> before -> lead -> exit',
    );
    const { result } = await runProject(
      { 'main.dot': main, 'child.dot': slow },
      {
        handlers: { hour },
        inputs: { enough: true },
        script: { before: { outcome: 'partial_success', notes: 'done' } },
      },
    );
    expect(result.status).toBe('success');
    expect(result.context['stack.child.status']).toBe('running');
  });

  test('the end of the child is looked at first', async () => {
    const { result } = await runProject(
      { 'main.dot': managed(', "manager.stop_condition"="stack.child.status=failed"'), 'child.dot': child },
      { script: { 'lead/work': { outcome: 'fail' } } },
    );
    expect(result.status).toBe('fail');
  });
});

describe('4.11: max cycles', () => {
  test('too many fail, and the child is cancelled', async () => {
    const { result, directory } = await runProject(
      { 'main.dot': managed(', "manager.max_cycles"=3'), 'child.dot': slow },
      { handlers: { hour } },
    );
    expect(result.failure_reason).toBe('Max cycles exceeded');
    expect(jsonOf(directory, 'lead/child/result.json').status).toBe('cancelled');
  });

  test('64: the timeout of the stage cancels the child', async () => {
    const { result, directory } = await runProject(
      { 'main.dot': managed(', timeout=10m'), 'child.dot': slow },
      { handlers: { hour } },
    );
    expect(result.failure_reason).toBe('timeout after 10m');
    expect(jsonOf(directory, 'lead/child/result.json').status).toBe('cancelled');
  });
});

describe('4.11: steer', () => {
  const steering = ', "manager.actions"="observe, steer, wait", "manager.poll_interval"=10m';
  const steered = (events: Parameters<typeof eventsOf>[0]) =>
    eventsOf(events, 'LogAppended').filter(({ message }) => message.includes('steers'));

  test('writes the prompt, with the values of the moment, to the active stage of the child', async () => {
    const main = managed(`${steering}, prompt="Hurry, \${context.stack.child.active_stage}!"`);
    const { directory, events } = await runProject(
      { 'main.dot': main, 'child.dot': slow },
      { handlers: { hour } },
    );
    expect(fileOf(directory, 'lead/child/work/steering.md')).toBe('Hurry, work!\n');
    expect(steered(events).length).toBeGreaterThan(3);
    expect(steered(events)[0]?.message).toContain('work');
  });

  test('leaves the child alone until manager.steer_cooldown has passed', async () => {
    const main = managed(`${steering}, "manager.steer_cooldown"=2h, prompt="Hurry!"`);
    const { events } = await runProject({ 'main.dot': main, 'child.dot': slow }, { handlers: { hour } });
    expect(steered(events)).toHaveLength(1);
  });

  test('has the backend find the words, which is told the telemetry', async () => {
    const prompts: string[] = [];
    const { directory } = await runProject(
      {
        'main.dot': managed(`${steering}, "manager.steer_cooldown"=2h, prompt="Help it."`),
        'child.dot': slow,
      },
      {
        handlers: { hour },
        backend: {
          run: async (_node, prompt) => {
            prompts.push(prompt);
            return 'Try the other way.';
          },
        },
      },
    );
    expect(fileOf(directory, 'lead/child/work/steering.md')).toBe('Try the other way.\n');
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toMatch(/^Help it\.[\s\S]*stages under way: work/);
    expect(fileOf(directory, 'lead/response.md')).toBe('Try the other way.');
  });

  test('a backend that fails is no reason to fail', async () => {
    const { result, events } = await runProject(
      { 'main.dot': managed(`${steering}, prompt="Help it."`), 'child.dot': slow },
      { handlers: { hour }, backend: { run: () => Promise.reject(new Error('overloaded')) } },
    );
    expect(result.status).toBe('success');
    expect(warningsOf(events)[0]).toContain('overloaded');
  });

  test('reaches the stages of all branches, in their own directories', async () => {
    const branches = pipeline(
      'fork [shape=component]',
      'one',
      'two',
      'shared [type=hour]',
      'join [shape=tripleoctagon]',
      'start -> fork',
      'fork -> one -> shared',
      'fork -> two -> shared',
      'shared -> join -> exit',
    );
    const { directory } = await runProject(
      { 'main.dot': managed(`${steering}, prompt="Hurry!"`), 'child.dot': branches },
      { handlers: { hour } },
    );
    for (const branch of ['branch-1', 'branch-2']) {
      expect(fileOf(directory, `lead/child/shared/${branch}/steering.md`)).toBe('Hurry!\n');
    }
  });

  const time = (times: number) => ({ outcome: 'success', delay: '1h', context_updates: { times } });
  // A simulated run knows what is in its directories without a look; this one is written to by another.
  test.each([
    ['that works', undefined],
    ['that is simulated', { simulate: true, script: { 'lead/work': [time(1), time(2), time(3)] } }],
  ])('leaves each visit of a stage %s what was said to it', async (_what, simulation) => {
    const thrice = pipeline(
      'start -> work',
      'work [type=hour]',
      'work -> exit [condition="context.times=3", weight=1]',
      'work -> work',
    );
    let times = 0;
    const counted = async (stage: Stage) => {
      times += 1;
      return { ...(await hour(stage)), context_updates: { times } };
    };
    const { directory } = await runProject(
      {
        'main.dot': managed(`${steering}, prompt="Step \${context.stack.child.completed_count}"`),
        'child.dot': thrice,
      },
      simulation ?? { handlers: { hour: counted } },
    );
    const said = ['visit-1/', 'visit-2/', ''].map((visit) =>
      fileOf(directory, `lead/child/work/${visit}steering.md`),
    );
    expect(said).toEqual(['Step 0\n', 'Step 1\n', 'Step 2\n']);
  });

  test('without a prompt there is nothing to say, which is said once', async () => {
    const main = managed(steering).replace('node [prompt="Do it"]', '');
    const { events } = await runProject({ 'main.dot': main, 'child.dot': slow }, { handlers: { hour } });
    expect(warningsOf(events).filter((message) => message.includes('no prompt'))).toHaveLength(1);
  });

  test('is not done where it is not an action', async () => {
    const { events } = await runProject(
      { 'main.dot': managed(', prompt="Hurry!"'), 'child.dot': slow },
      { handlers: { hour } },
    );
    expect(steered(events)).toEqual([]);
  });
});

test('64: an unknown action is left out, with a warning', async () => {
  const { result, events } = await runProject({
    'main.dot': managed(', "manager.actions"="observe,wait,dance"'),
    'child.dot': child,
  });
  expect(result.status).toBe('success');
  expect(warningsOf(events)).toEqual([expect.stringContaining('"dance"')]);
});

describe('4.11: without autostart', () => {
  const supervising = (attributes: string) =>
    pipeline(
      'before',
      `lead [shape=house, "stack.child_autostart"=false${attributes}]`,
      'start -> before -> lead -> exit',
    );
  const report = (status: string, outcome: string, ...more: readonly (readonly [string, string])[]) => ({
    before: {
      context_updates: {
        'stack.child.status': status,
        'stack.child.outcome': outcome,
        ...Object.fromEntries(more),
      },
    },
  });

  test('others report, and success is success', async () => {
    const { result } = await runProject(
      { 'main.dot': supervising('') },
      { script: report('completed', 'success') },
    );
    expect(result.status).toBe('success');
  });

  test('64: reports under keys with the prefix context. count too', async () => {
    const script = {
      before: {
        context_updates: {
          'context.stack.child.status': 'completed',
          'context.stack.child.outcome': 'success',
        },
      },
    };
    expect((await runProject({ 'main.dot': supervising('') }, { script })).result.status).toBe('success');
  });

  test('64: completed and no success is a failure at once', async () => {
    const clock = virtualClock();
    const script = report('completed', 'partial_success', ['stack.child.failure_reason', 'half of it']);
    const { result } = await runProject({ 'main.dot': supervising('') }, { script, clock });
    expect(result.failure_reason).toBe(
      'Child completed with the outcome "partial_success", which is not a success: half of it',
    );
    expect(clock.slept).not.toContain(45_000);
  });

  test('failed is a failure', async () => {
    const { result } = await runProject(
      { 'main.dot': supervising('') },
      { script: report('failed', 'fail') },
    );
    expect(result.failure_reason).toBe('Child failed');
  });

  test('as long as nobody reports, it waits', async () => {
    const clock = virtualClock();
    const { result } = await runProject({ 'main.dot': supervising(', "manager.max_cycles"=5') }, { clock });
    expect(result.failure_reason).toBe('Max cycles exceeded');
    expect(clock.slept.filter((milliseconds) => milliseconds === 45_000)).toHaveLength(5);
  });

  test('64: for 1000 cycles of 45 seconds, where nothing else is said', async () => {
    const clock = virtualClock();
    const { result } = await runProject({ 'main.dot': supervising('') }, { clock });
    expect(result.failure_reason).toBe('Max cycles exceeded');
    expect(clock.slept.filter((milliseconds) => milliseconds === 45_000)).toHaveLength(1000);
  });

  test('a pause ends the wait, and resuming takes it up', async () => {
    const pausing = new AbortController();
    const { result } = await runProject(
      { 'main.dot': supervising('') },
      {
        pauseSignal: pausing.signal,
        onEvent: ({ type }) => {
          if (type === 'StageStarted') setImmediate(() => pausing.abort({ reason: 'tea' }));
        },
        clock: virtualClock({ mayPass: () => false }),
      },
    );
    expect(result).toMatchObject({ status: 'paused', paused_reason: 'tea' });
  });
});
