import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, jsonOf, pipeline, resumePipeline, runOnDisk, runPipeline } from './harness.js';

const declaring = pipeline(
  'graph [inputs="files: list, severity: low|high = low, limit: integer = 10, token: string?"]',
  'a [type=x]',
  'start -> a -> exit',
);
const handlers = { x: () => ({ status: 'success' as const }) };

test('101: everything that is wrong is said at once, and nothing is created', async () => {
  const runDirectory = path.join(temporaryDirectory(), 'run');
  const inputs = { severity: 'hihg', limit: 2.5, token: 1, limt: 3 };
  await expect(runOnDisk(declaring, { inputs, handlers, runDirectory })).rejects.toMatchObject({
    code: 'usage',
    message: [
      '5 inputs cannot be used; nothing was started:',
      '  files: expected a list, but it is not given',
      '  severity: expected one of low, high, found "hihg"',
      '  limit: expected an integer, found 2.5',
      '  token: expected a string, found 1',
      '  limt: not declared (did you mean "limit"?)',
    ].join('\n'),
  });
  expect(existsSync(runDirectory)).toBe(false);
});

test('101: defaults are among the inputs that are recorded, and in the context', async () => {
  const { result, events, directory } = await runPipeline(declaring, { inputs: { files: ['a'] }, handlers });
  const inputs = { files: ['a'], severity: 'low', limit: 10, token: null };
  expect(eventsOf(events, 'PipelineStarted')[0]?.inputs).toEqual(inputs);
  expect(jsonOf(directory, 'manifest.json').inputs).toEqual(inputs);
  expect(result.context).toMatchObject({ 'inputs.limit': 10, severity: 'low' });
});

test('101: a simulation wants its inputs too', async () => {
  await expect(runPipeline(declaring, { simulate: true, handlers })).rejects.toMatchObject({ code: 'usage' });
});

test('101: what resume gives is held against the declaration again', async () => {
  const { directory } = await runOnDisk(declaring, { inputs: { files: [] }, handlers });
  await expect(
    resumePipeline(directory, { inputs: { limit: 'x' }, handlers }, { from: 'a' }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('limit: expected an integer, found "x"'),
  });
  const changed = jsonOf(directory, 'manifest.json');
  expect(changed.inputs).toEqual({ files: [], severity: 'low', limit: 10, token: null });
});

test('101: a child that misses an input fails before its run begins', async () => {
  const { runProject, subPipeline, writtenBefore } = await import('./children/children.js');
  const { result, directory } = await runProject({
    'main.dot': writtenBefore(subPipeline()),
    'child.dot': declaring,
  });
  expect(result).toMatchObject({
    status: 'fail',
    failure_reason: expect.stringContaining('files: expected a list, but it is not given'),
  });
  expect(existsSync(path.join(directory, 'sub', 'child'))).toBe(false);
});

const needing = pipeline(
  'graph [env_requires="ATTRACTOR_TEST_A, ATTRACTOR_TEST_B", inputs="x"]',
  'a [type=x]',
  'start -> a -> exit',
);

test('101: env_requires names what the environment lacks, together with the inputs', async () => {
  vi.stubEnv('ATTRACTOR_TEST_A', 'set');
  await expect(runPipeline(needing, { handlers })).rejects.toMatchObject({
    message:
      '1 input cannot be used, and 1 environment variable is not set; nothing was started:\n  x: expected any value, but it is not given\n  $ATTRACTOR_TEST_B: not set',
  });
  vi.unstubAllEnvs();
});

test('101: a simulation needs no environment', async () => {
  const { result } = await runPipeline(needing, { simulate: true, inputs: { x: 1 } });
  expect(result.status).toBe('success');
});
