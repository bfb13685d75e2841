import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { start } from '../../src/run/execution.js';
import type { RunOptions } from '../../src/run/run.js';
import { simulate } from '../../src/run/simulate/simulate.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, jsonOf, pipeline, resumePipeline, runPipeline } from './harness.js';

const dot = pipeline('a [type=x]', 'start -> a -> exit');
const success = { status: 'success' } as const;
const inputsOf = (given: unknown) => ({ inputs: given as NonNullable<RunOptions['inputs']> });
const cyclic = (): object => {
  const list: unknown[] = [];
  list.push(list);
  return { list };
};

test.each<[name: string, value: unknown, kept: unknown]>([
  ['NaN', Number.NaN, 'NaN'],
  ['a BigInt', 10n, '10'],
  ['a cycle', cyclic(), '[object Object]'],
  ['a member that is not JSON', { f: () => 1, x: 1 }, { x: 1 }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
])('66a: an input is kept as JSON, with an entry in the log: %s', async (_name, value, kept) => {
  const { result, events, directory } = await runPipeline(dot, {
    ...inputsOf({ v: value }),
    handlers: { x: ({ context }) => ({ ...success, context_updates: { seen: context.get('v') ?? null } }) },
  });
  expect(result.context).toMatchObject({ v: kept, 'inputs.v': kept, seen: kept });
  expect(eventsOf(events, 'PipelineStarted')[0]?.inputs).toEqual({ v: kept });
  expect(jsonOf(directory, 'manifest.json').inputs).toEqual({ v: kept });
  expect(eventsOf(events, 'LogAppended')).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      message:
        'the input "v" was set to a value that is not JSON; only the part that JSON can express is kept',
    }),
  );
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a list', [1]],
  ['a map', new Map([['a', 1]])],
  ['a number', 7],
  [
    'an object that cannot be read',
    Object.defineProperty({}, 'a', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    }),
  ],
])('97: inputs by key are expected, not %s', async (_name, given) => {
  const setup = { ...inputsOf(given), handlers: { x: () => success } };
  await expect(runPipeline(dot, setup)).rejects.toMatchObject({ name: 'RunError', code: 'usage' });
});

test('97: what becomes of the object of the caller does not matter', async () => {
  const inputs = { o: { k: 1 } };
  const execution = start(pipeline('start -> exit'), {
    inputs,
    runDirectory: `${temporaryDirectory()}/run`,
    onEvent: () => {
      inputs.o.k = 99;
    },
  });
  inputs.o.k = 98;
  const events: RunEvent[] = [];
  for await (const event of execution.events()) events.push(event);
  expect(await execution.result).toMatchObject({ context: { o: { k: 1 }, 'inputs.o': { k: 1 } } });
  expect(eventsOf(events, 'PipelineStarted')[0]?.inputs).toEqual({ o: { k: 1 } });
});

test('66a: also those that are given when the run continues', async () => {
  const handlers = { x: () => ({ status: 'fail' as const, failure_reason: 'not yet' }) };
  const { directory } = await runPipeline(dot, { handlers });
  const setup = { ...inputsOf({ v: 10n }), handlers: { x: () => success } };
  const { result, events } = await resumePipeline(directory, setup);
  expect(result).toMatchObject({ status: 'success', context: { v: '10' } });
  expect(eventsOf(events, 'LogAppended').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('the input "v" was set to a value that is not JSON'),
  );
});

test('97: a script may have inputs, below those that are given', async () => {
  const script = readScript({ inputs: { mode: 'fast', level: 1 } }, 'of the test');
  const result = await simulate(pipeline('a', 'start -> a -> exit'), { script, inputs: { level: 2 } });
  expect(result).toMatchObject({ status: 'success', context: { 'inputs.mode': 'fast', 'inputs.level': 2 } });
});
