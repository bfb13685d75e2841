import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { missingBackendNotice } from '../../src/run/provided-handlers.js';
import { run } from '../../src/run/run.js';
import { emptyScript } from '../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type HandlerTable, jsonOf, pipeline, resumePipeline, runPipeline, type Setup } from './harness.js';

const prompt = pipeline('a', 'start -> a -> exit');
const custom = pipeline('a [type=x]', 'start -> a -> exit');

const two = pipeline('a', 'b', 'start -> a -> b -> exit');
const failsAtB = { b: { outcome: 'fail' } };

const failing: CodergenBackend = {
  async run() {
    return { status: 'fail', failure_reason: 'the model is gone' };
  },
};
const working: CodergenBackend = {
  async run() {
    return 'done';
  },
};
const failingHandler: HandlerTable = { x: () => ({ status: 'fail', failure_reason: 'no' }) };
const workingHandler: HandlerTable = { x: () => ({ status: 'success', notes: 'done' }) };

/** Notices of a run, and its log. */
async function told(start: (ports: Pick<Setup, 'onNotice' | 'onEvent'>) => ReturnType<typeof runPipeline>) {
  const notices: string[] = [];
  const events: RunEvent[] = [];
  const { result, directory } = await start({
    onNotice: (message) => notices.push(message),
    onEvent: (event) => events.push(event),
  });
  const log = events.flatMap((event) =>
    event.type === 'LogAppended' ? [{ level: event.level, message: event.message }] : [],
  );
  return { result, notices, log, directory };
}

describe('1.4: a run that worked for real never continues by pretending', () => {
  test.each<[what: string, dot: string, setup: Setup, message: RegExp]>([
    [
      'a backend',
      prompt,
      { backend: failing },
      /^the run was started with a backend for stages such as "a", .*`--simulate`/,
    ],
    ['a handler', custom, { handlers: failingHandler }, /^the run was started with handlers for `x`, /],
    [
      'a handler in the place of a built-in one',
      pipeline('a [type=tool, tool_command="true"]', 'start -> a -> exit'),
      { handlers: { tool: () => ({ status: 'fail' }) } },
      /^the run was started with handlers for `tool`, /,
    ],
  ])('without %s it is refused, and nothing is written', async (_what, dot, setup, message) => {
    const { directory, result } = await runPipeline(dot, setup);
    expect(result.status).toBe('fail');
    const before = jsonOf(directory, 'manifest.json');
    await expect(resumePipeline(directory)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
    expect(jsonOf(directory, 'manifest.json')).toEqual(before);
    expect(jsonOf(directory, 'checkpoint.json').status).toBe('fail');
    // Pretending is what it does where that is said.
    expect((await resumePipeline(directory, { simulate: true })).result.status).toBe('success');
  });

  test('with them it continues', async () => {
    const one = await runPipeline(prompt, { backend: failing });
    expect((await resumePipeline(one.directory, { backend: working })).result.status).toBe('success');
    const other = await runPipeline(custom, { handlers: failingHandler });
    expect((await resumePipeline(other.directory, { handlers: workingHandler })).result.status).toBe(
      'success',
    );
  });

  test('what no stage needs is not asked for', async () => {
    const script = { a: { outcome: 'fail' } };
    const { directory } = await runPipeline(prompt, { script, backend: working, handlers: workingHandler });
    expect((await resumePipeline(directory)).result.failed_node).toBe('a');
  });

  test('what it is given later it needs from then on', async () => {
    const { directory } = await runPipeline(two, { script: failsAtB });
    expect(jsonOf(directory, 'manifest.json').options).toMatchObject({
      has_backend: false,
      handler_types: [],
    });
    const resumed = await resumePipeline(directory, { backend: failing }, { script: emptyScript });
    expect(resumed.result).toMatchObject({ failed_node: 'b', failure_reason: 'the model is gone' });
    expect(jsonOf(directory, 'manifest.json').options.has_backend).toBe(true);
    await expect(resumePipeline(directory)).rejects.toThrow('was started with a backend');
  });
});

describe('5: a run that pretends because nothing is configured', () => {
  test('says so, to a person and in its log, whenever it begins or continues', async () => {
    const first = await told((ports) => runPipeline(two, { ...ports, script: failsAtB }));
    expect(first.notices).toEqual([missingBackendNotice]);
    expect(first.log).toEqual([{ level: 'info', message: missingBackendNotice }]);
    const second = await told((ports) => resumePipeline(first.directory, ports, { script: emptyScript }));
    expect(second).toMatchObject({ notices: first.notices, log: first.log, result: { status: 'success' } });
  });

  test.each<[what: string, dot: string, setup: Setup]>([
    ['has a backend', prompt, { backend: working }],
    ['is a simulation', prompt, { simulate: true }],
    ['is scripted', prompt, { script: { a: {} } }],
    ['has a handler of its own', prompt, { handlers: { codergen: () => ({ status: 'success' }) } }],
    ['asks no model', pipeline('start -> exit'), {}],
  ])('and one that %s does not', async (_what, dot, setup) => {
    const { notices, log } = await told((ports) => runPipeline(dot, { ...setup, ...ports }));
    expect([notices, log]).toEqual([[], []]);
  });

  test('says it once for itself and the pipelines that its stages run', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), prompt);
    const children = ['c [type=pipeline, child="child.dot"]', 'd [type=pipeline, child="child.dot"]'];
    const { notices, log } = await told((ports) =>
      runPipeline(pipeline(...children, 'start -> c -> d -> exit'), { workingDirectory: home, ...ports }),
    );
    expect([notices, log]).toEqual([[missingBackendNotice], []]);
  });
});

test('4.2: a handler is called although the compiler was not told of its type', async () => {
  const handlers = new HandlerRegistry().register('x', {
    execute: () => ({ status: 'success', context_updates: { called: true } }),
  });
  const runDirectory = path.join(temporaryDirectory(), 'run');
  const result = await run(compile(custom), { handlers, runDirectory });
  expect(result).toMatchObject({ status: 'success', context: { called: true } });
});
