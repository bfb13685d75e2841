import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { callbackInterviewer } from '../../../src/run/questions/callback.js';
import { virtualClock } from '../../../src/run/simulate/virtual-clock.js';
import { type FileSystem, nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { linkOf } from '../../../src/run-directory/hashed-line.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { eventsOf, fileOf, jsonOf, pipeline, runPipeline, testEach } from '../harness.js';
import { essenceOf, resumeSimulation, type Simulation, simulate, timesOf } from './simulations.js';

const second = 1000;
const hour = 3600 * second;

const gate = pipeline(
  'g [shape=hexagon]',
  'start -> g',
  'g -> exit [label="[Y] Yes"]',
  'g -> exit [label="[N] No"]',
);

const branches = (attributes: string, ...names: readonly string[]): string =>
  pipeline(
    `p [shape=component${attributes}]`,
    'j [shape=tripleoctagon]',
    'start -> p',
    ...names.map((name) => `p -> ${name} -> j`),
    'j -> exit',
  );

describe('DESIGN 5: the time of a simulation passes at once, and counts', () => {
  const delayed = (delay: string): object => ({ a: { delay } });
  testEach<{ name: string; dot: string; setup?: Simulation; duration?: number; status?: string }>(
    [
      { name: 'a pipeline that does nothing takes none', dot: pipeline('start -> exit'), duration: 0 },
      {
        name: 'a delay of the script',
        dot: pipeline('a', 'start -> a -> exit'),
        setup: { script: delayed('48h') },
        duration: 48 * hour,
      },
      {
        name: 'pauses between attempts',
        dot: pipeline('a [max_retries=400, retry_policy=patient]', 'start -> a -> exit'),
        setup: { script: { a: [...Array(400).fill({ outcome: 'retry' }), {}] } },
      },
      {
        name: 'what a service asks to be left alone for, an hour at most',
        dot: pipeline('a [max_retries=1]', 'start -> a -> exit'),
        setup: { script: { a: [{ outcome: 'retry', retry_after_ms: 7 * hour }, {}] } },
        duration: hour,
      },
      {
        name: 'a timeout',
        dot: pipeline('a [timeout="2h"]', 'start -> a -> exit'),
        setup: { script: delayed('1d') },
        duration: 2 * hour,
        status: 'fail',
      },
      {
        name: 'a delay that just fits into the timeout',
        dot: pipeline('a [timeout="2h"]', 'start -> a -> exit'),
        setup: { script: delayed('2h') },
        duration: 2 * hour,
      },
      {
        name: 'the timeout of the run',
        dot: pipeline('graph [timeout="3h"]', 'a', 'start -> a -> exit'),
        setup: { script: delayed('1d') },
        duration: 3 * hour,
        status: 'fail',
      },
      {
        name: 'branches take as long as the longest',
        dot: branches('', 'a', 'b'),
        setup: { script: { a: { delay: '2h' }, b: { delay: '5h' } } },
        duration: 5 * hour,
      },
      {
        name: 'the first success does not wait for the others',
        dot: branches(', join_policy=first_success', 'a', 'b'),
        setup: { script: { a: { delay: '2h' }, b: { delay: '5h' } } },
        duration: 2 * hour,
      },
    ],
    async ({ dot, setup = {}, duration, status = 'success' }) => {
      const simulated = await simulate(dot, setup);
      expect(simulated.result.status).toBe(status);
      const times = timesOf(simulated);
      expect(times).toEqual([...times].sort((one, other) => one - other));
      const pauses = eventsOf(simulated.events, 'StageRetrying').map(({ delay }) => delay);
      expect(simulated.result.duration_ms).toBe(duration ?? pauses.reduce((sum, pause) => sum + pause));
      if (duration === undefined) expect(simulated.result.duration_ms).toBeGreaterThan(4 * hour);
    },
  );

  test('a manager looks at its child as often as it would', async () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'child.dot'), pipeline('c', 'start -> c -> exit'));
    const dot = pipeline(
      'graph ["stack.child_dotfile"="child.dot"]',
      'm [shape=house, "manager.poll_interval"="10m", "manager.actions"="observe,wait"]',
      'start -> m -> exit',
    );
    const { result } = await simulate(dot, {
      sourcePath: path.join(directory, 'parent.dot'),
      script: { 'm/c': { delay: '25m' } },
    });
    expect(result).toMatchObject({ status: 'success', duration_ms: 25 * 60 * second });
  });

  test('it begins now, and the stages of a script that really runs take real time', async () => {
    const before = Date.now();
    const simulated = await simulate(pipeline('a', 'start -> a -> exit'), { script: { a: { delay: '2h' } } });
    const [first, last] = [simulated.events.at(0), simulated.events.at(-1)].map((event) =>
      Date.parse(event?.timestamp ?? ''),
    );
    expect(first).toBeGreaterThanOrEqual(before);
    expect(last).toBeGreaterThan(Date.now());
    const real = await simulate(pipeline('a', 'start -> a -> exit'), {
      simulate: false,
      script: { a: { delay: '40ms' } },
    });
    expect(Date.parse(real.events.at(-1)?.timestamp ?? '')).toBeLessThanOrEqual(Date.now());
    expect(real.result.duration_ms).toBeGreaterThanOrEqual(40);
  });
});

describe('DESIGN 1.6: the same pipeline, script and seed give the same run', () => {
  const retried = Array.from({ length: 3 }, (_, index) => ({
    outcome: 'retry',
    failure_reason: `try ${index}`,
  }));
  const dot = pipeline(
    'p [shape=component]',
    'q [shape=component, join_policy=quorum]',
    'a [max_retries=4]',
    'b [max_retries=4, timeout="10s"]',
    'c [shape=parallelogram, tool_command="true"]',
    'd [shape=parallelogram, tool_command="false"]',
    'g [shape=hexagon, timeout="30s", "human.default_choice"="No"]',
    'k',
    'j [shape=tripleoctagon]',
    'start -> p',
    'p -> a -> j',
    'p -> b -> j',
    'p -> q',
    'q -> c -> k',
    'q -> d -> k',
    'k -> j',
    'j -> g',
    'g -> exit [label="Yes"]',
    'g -> p [label="No"]',
  );
  const setup = {
    script: { a: [...retried, {}, ...retried, {}], b: [...retried, { delay: '12s' }, {}] },
    answers: { g: ['No'] },
    maxSteps: 40,
  };

  test.each([undefined, 0, 1, 4711])('with the seed %s', async (seed) => {
    const options = seed === undefined ? setup : { ...setup, seed };
    const [one, other] = [await simulate(dot, options), await simulate(dot, options)];
    expect(one.result.run_id).not.toBe(other.result.run_id);
    expect(essenceOf(one).length).toBeGreaterThan(60);
    expect(essenceOf(other)).toEqual(essenceOf(one));
  });

  test('its journal is the same to the byte, but for the run id', async () => {
    const journals = await Promise.all(
      [1, 2].map(async () => {
        const clock = virtualClock({ start: Date.UTC(2026, 0, 1), seed: 5 });
        const { directory, result } = await simulate(dot, { ...setup, seed: 5, clock });
        const lines = fileOf(directory, 'events.jsonl').split('\n');
        // The id is in the hashes too.
        return lines.map((line) => linkOf(line).text.replaceAll(result.run_id, '<run>')).join('\n');
      }),
    );
    expect(journals[0]).toBe(journals[1]);
  });

  test('another seed gives another one', async () => {
    const runs = await Promise.all([1, 2, 3].map((seed) => simulate(dot, { ...setup, seed })));
    expect(new Set(runs.map((each) => essenceOf(each).join('\n'))).size).toBe(3);
  });
});

describe('a seed decides which branch continues first', () => {
  const winner = async (seed?: number): Promise<unknown> => {
    const { result } = await simulate(branches(', join_policy=first_success', 'a', 'b', 'c'), {
      ...(seed !== undefined && { seed }),
    });
    return result.context['parallel.fan_in.best_id'];
  };

  test('any of those that are ready at the same time', async () => {
    const seeds = Array.from({ length: 16 }, (_, seed) => seed);
    expect(new Set(await Promise.all(seeds.map(winner)))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('without one it is the first', async () => {
    expect(await winner()).toBe('a');
  });

  test('never one that takes longer', async () => {
    const dot = branches(', join_policy=first_success', 'a', 'b');
    for (let seed = 0; seed < 8; seed += 1) {
      const { result } = await simulate(dot, { seed, script: { a: { delay: 2 }, b: { delay: 1 } } });
      expect(result.context['parallel.fan_in.best_id']).toBe('b');
    }
  });

  test('but branches of one stage or of many all come to their end', async () => {
    const dot = pipeline(
      'p [shape=component, max_parallel=3]',
      ...['a', 'b', 'c', 'd', 'e'].map((name) => `p -> ${name}1 -> ${name}2 -> ${name}3 -> exit`),
      'start -> p',
    );
    const orders = new Set<string>();
    for (let seed = 0; seed < 6; seed += 1) {
      const { result } = await simulate(dot, { seed });
      expect(result).toMatchObject({ status: 'success', steps: 16 });
      orders.add(result.completed_nodes.join());
    }
    expect(orders.size).toBeGreaterThan(3);
  });

  test.each<[name: string, options: Simulation, message: string]>([
    ['a fraction', { seed: 1.5 }, 'a whole number'],
    ['less than nothing', { seed: -1 }, 'a whole number'],
    ['one that decides nothing', { seed: 1, simulate: false }, '--simulate'],
  ])('%s is refused', async (_name, options, message) => {
    await expect(simulate(gate, options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });
});

describe('87: gates in a simulation', () => {
  const withDefault = gate.replace('hexagon', 'hexagon, timeout="2h", "human.default_choice"="No"');
  testEach<{ name: string; dot: string; answers?: object; chosen: string }>(
    [
      { name: 'without an answer take the first choice', dot: gate, chosen: 'Y' },
      { name: 'with an answer take it', dot: gate, answers: { g: 'no' }, chosen: 'N' },
      { name: 'answer before their time is up', dot: withDefault, answers: { g: 'yes' }, chosen: 'Y' },
      { name: 'are approved before their time is up', dot: withDefault, chosen: 'Y' },
    ],
    async ({ dot, answers = {}, chosen }) => {
      const { result } = await simulate(dot, { answers });
      expect(result).toMatchObject({ status: 'success', duration_ms: 0 });
      expect(result.context['human.gate.selected']).toBe(chosen);
    },
  );

  const again = (attributes: string): string =>
    pipeline(
      `g [shape=hexagon${attributes}]`,
      'start -> g',
      'g -> a [label="[Y] Yes"]',
      'a -> g',
      'g -> exit [label="[N] No"]',
    );

  testEach<{ name: string; attributes: string; expected: object }>(
    [
      {
        name: 'pause the run',
        attributes: '',
        expected: { status: 'paused', waiting_node: 'g', duration_ms: 0 },
      },
      {
        name: 'take the default when their time is up, which comes at once',
        attributes: ', timeout="2h", "human.default_choice"="No"',
        expected: { status: 'success', duration_ms: 2 * hour, path: ['start', 'g', 'a', 'g', 'exit'] },
      },
      {
        name: 'ask again when their time is up, as long as there are attempts',
        attributes: ', timeout="2h", max_retries=2, retry_policy=none',
        expected: { status: 'fail', failure_reason: expect.stringContaining('timeout') },
      },
    ],
    async ({ attributes, expected }) => {
      const { result } = await simulate(again(attributes), { answers: { g: ['Y'] } });
      expect(result).toMatchObject(expected);
    },
  );

  test('that are left without any answer have nobody to ask', async () => {
    const { result } = await simulate(withDefault, { answers: { g: [] } });
    expect(result).toMatchObject({ status: 'success', duration_ms: 2 * hour });
    expect(result.context['human.gate.selected']).toBe('N');
  });

  test('that are left unanswered are answered when the run is resumed', async () => {
    const { directory } = await simulate(again(''), { answers: { g: ['Y'] } });
    const { result } = await resumeSimulation(directory, { answers: new Map([['g', ['No']]]) });
    expect(result).toMatchObject({ status: 'success', path: ['start', 'g', 'a', 'g', 'exit'] });
  });
});

describe('a real person on a virtual clock', () => {
  test('has all the time there is', async () => {
    const interviewer = callbackInterviewer(
      () => new Promise((resolve) => setTimeout(() => resolve('No'), 30)),
    );
    const dot = gate.replace('hexagon', 'hexagon, timeout="2h", "human.default_choice"="Yes"');
    const { result } = await runPipeline(dot, { clock: virtualClock(), interviewer });
    expect(result).toMatchObject({ status: 'success', duration_ms: 0 });
    expect(result.context['human.gate.selected']).toBe('N');
  });

  test('who has nobody to ask loses no time', async () => {
    const dot = gate.replace('hexagon', 'hexagon, timeout="2h", "human.default_choice"="No"');
    const { result } = await runPipeline(dot, { clock: virtualClock() });
    expect(result).toMatchObject({ status: 'success', duration_ms: 2 * hour });
    expect(result.context['human.gate.selected']).toBe('N');
  });
});

describe('a simulation that continues', () => {
  const failing = pipeline('a', 'b', 'start -> a -> b -> exit');
  const fail = (failure_reason: string): object => ({ outcome: 'fail', failure_reason });

  test('does so after the time at which it stopped', async () => {
    const first = await simulate(failing, {
      script: { a: { delay: '5h' }, b: [fail('no'), { delay: '1h' }] },
    });
    const second = await resumeSimulation(first.directory);
    expect(second.result).toMatchObject({ status: 'success' });
    const times = timesOf({ ...first, events: [...first.events, ...second.events] });
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(times.at(-1)).toBe(6 * hour);
  });

  test('keeps its seed, until it is given another one', async () => {
    const { directory } = await simulate(failing, { seed: 3, script: { b: fail('no') } });
    const seed = (): number => jsonOf(directory, 'manifest.json').options.seed;
    await resumeSimulation(directory);
    expect(seed()).toBe(3);
    await resumeSimulation(directory, { seed: 8 });
    expect(seed()).toBe(8);
    await expect(resumeSimulation(directory, { seed: 0.5 })).rejects.toMatchObject({ code: 'usage' });
    expect(seed()).toBe(8);
  });

  test('86: a script that is given on the way holds for all that resume it later', async () => {
    const { directory } = await simulate(failing, { script: { b: fail('first') } });
    const second = await resumeSimulation(directory, { script: { b: fail('second') } });
    expect(second.result).toMatchObject({ status: 'fail', failure_reason: 'second' });
    const third = await resumeSimulation(directory);
    expect(third.result).toMatchObject({ status: 'fail', failure_reason: 'second' });
    const fourth = await resumeSimulation(directory, { script: {} });
    expect(fourth.result.status).toBe('success');
    expect(jsonOf(directory, 'manifest.json').options.script).toEqual({ nodes: {}, answers: {} });
  });

  test('86: a script that does not fit is refused, and the one before stays', async () => {
    const { directory } = await simulate(failing, { script: { b: fail('first') } });
    const before = fileOf(directory, 'manifest.json');
    await expect(resumeSimulation(directory, { script: { c: {} } })).rejects.toMatchObject({ code: 'usage' });
    expect(fileOf(directory, 'manifest.json')).toBe(before);
  });

  test('86: children keep the script that was given on the way, too', async () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'child.dot'), pipeline('c', 'start -> c -> exit'));
    const dot = pipeline('s [type=pipeline, child="child.dot"]', 'start -> s -> exit');
    const first = await simulate(dot, {
      sourcePath: path.join(directory, 'parent.dot'),
      script: { 's/c': fail('first') },
    });
    const seen = [first, await resumeSimulation(first.directory, { script: { 's/c': fail('second') } })];
    seen.push(await resumeSimulation(first.directory));
    const reasons = seen.map(({ result }) => /first|second/.exec(result.failure_reason ?? '')?.[0]);
    expect(reasons).toEqual(['first', 'second', 'second']);
  });
});

test('86: branches that share a scripted node take its entries in the order in which they reach it', async () => {
  const dot = pipeline(
    'p [shape=component]',
    'a',
    'b',
    'shared',
    'start -> p',
    'p -> a -> shared',
    'p -> b -> shared',
    'shared -> exit',
    'last',
    'p -> last -> exit',
  );
  const notesBy = async (a: string, b: string): Promise<unknown> => {
    const { events } = await simulate(dot, {
      script: { a: { delay: a }, b: { delay: b }, shared: [{ notes: 'one' }, { notes: 'two' }] },
    });
    const settled = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'shared');
    return Object.fromEntries(settled.map(({ branch, outcome }) => [branch, outcome.notes]));
  };
  expect(await notesBy('1s', '2s')).toEqual({ a: 'one', b: 'two' });
  expect(await notesBy('2s', '1s')).toEqual({ a: 'two', b: 'one' });
});

test('71a: a loop looks through none of the directories of its earlier visits, which nobody else can have changed', async () => {
  const looked: string[] = [];
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    readdir(directory) {
      looked.push(path.basename(directory));
      return nodeFileSystem.readdir(directory);
    },
  };
  const dot = pipeline(
    'graph [max_steps=5]',
    'a [prompt="Do it"]',
    'start -> a -> a',
    'a -> exit [condition="context.never=1"]',
  );
  const { directory } = await simulate(dot, { fileSystem, clock: virtualClock() });
  expect(readdirSync(path.join(directory, 'a'))).toContain('visit-4');
  expect(looked).not.toContain('a');
});
