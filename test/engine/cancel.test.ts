import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunError } from '../../src/engine/runtime/run-error.js';
import { overviewOf } from '../../src/engine/runtime/run-overview.js';
import { cancel } from '../../src/run.js';
import { virtualClock } from '../support/virtual-clock.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runPipeline, type Setup } from './harness.js';

const dot = pipeline('g [shape=hexagon]', 'w [type=custom]', 'start -> w -> g -> exit');
const custom: Setup = { handlers: { custom: () => ({ status: 'success' }) } };

/** A run that waits for an answer. */
const paused = async () => (await runPipeline(dot, custom)).directory;

describe('76: a run that no process executes is cancelled', () => {
  test.each(['paused', 'cut off'])('when it is %s', async (state) => {
    const directory = await paused();
    const journal = path.join(directory, 'events.jsonl');
    if (state === 'cut off') {
      const lines = fileOf(directory, 'events.jsonl').split('\n');
      writeFileSync(journal, `${lines.slice(0, 6).join('\n')}\n{"seq":7,"ty`);
    }
    const result = await cancel(directory, { clock: virtualClock() });
    expect(result).toMatchObject({ status: 'cancelled', quality: 'failed' });
    expect(jsonOf(directory, 'result.json')).toEqual(result);
    expect(jsonOf(directory, 'checkpoint.json')).toMatchObject({ status: 'cancelled' });
    expect(overviewOf(directory, 0)).toMatchObject({ status: 'cancelled', process: null });
    const resumed = await resumePipeline(directory, { ...custom, autoApprove: true });
    expect(resumed.result).toMatchObject({ status: 'success', path: ['start', 'w', 'g', 'exit'] });
  });

  test.each([
    [
      'it has ended',
      async (directory: string) => void (await resumePipeline(directory, { ...custom, autoApprove: true })),
      'its status is success',
    ],
    [
      'it is cancelled already',
      async (directory: string) => void (await cancel(directory)),
      'its status is cancelled',
    ],
    [
      'it died before it began',
      async (directory: string) => {
        rmSync(path.join(directory, 'events.jsonl'));
        rmSync(path.join(directory, 'checkpoint.json'));
      },
      'it died before anything was done',
    ],
  ])('unless %s; then nothing changes', async (_name, prepare, why) => {
    const directory = await paused();
    await prepare(directory);
    await expect(cancel(directory)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(why),
    });
  });

  test('but not while somebody executes it', async () => {
    const refusals: unknown[] = [];
    const { result } = await runPipeline(dot, {
      autoApprove: true,
      handlers: {
        custom: async ({ logsRoot }) => {
          refusals.push(await cancel(logsRoot).catch((error: RunError) => error.code));
          return { status: 'success' };
        },
      },
    });
    expect(refusals).toEqual(['run_locked']);
    expect(result.status).toBe('success');
  });
});
