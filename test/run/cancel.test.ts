import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { cancel } from '../../src/run/run.js';
import { acquireLock } from '../../src/run-directory/lock.js';
import type { RunError } from '../../src/run-directory/run-error.js';
import { overviewOf } from '../../src/view/run-overview.js';
import { virtualClock } from '../support/virtual-clock.js';
import { runProject } from './children/children.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runOnDisk, type Setup } from './harness.js';

const dot = pipeline('g [shape=hexagon]', 'w [type=custom]', 'start -> w -> g -> exit');
const custom: Setup = { handlers: { custom: () => ({ status: 'success' }) } };

/** A run that waits for an answer. */
const paused = async () => (await runOnDisk(dot, custom)).directory;

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
      'it died before doing anything',
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
    const { result } = await runOnDisk(dot, {
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

describe('76: with a run that no process executes, those are cancelled that its stages have started', () => {
  const asking = pipeline('g [shape=hexagon]', 'start -> g -> exit');
  const middle = pipeline('deep [type=pipeline, child="asking.dot"]', 'start -> deep -> exit');
  const both = pipeline(
    ...['split [shape=component]', 'join [shape=tripleoctagon]', 'start -> split', 'join -> exit'],
    ...['one [type=pipeline, child="asking.dot"]', 'two [type=pipeline, child="asking.dot"]'],
    ...['split -> one -> join', 'split -> two -> join'],
  );
  const files = { 'asking.dot': asking, 'middle.dot': middle };

  const statusOf = (directory: string): string => overviewOf(directory, 0).status;

  /** A run that waits because of its children, and their directories. */
  async function waiting(dot: string, ...children: readonly string[]) {
    const { directory, result } = await runProject({ 'main.dot': dot, ...files });
    expect(result.status).toBe('paused');
    return { directory, children: children.map((child) => path.join(directory, child)) };
  }

  test.each<[string, string, readonly string[]]>([
    [
      'a sub-pipeline, and one inside that',
      pipeline('sub [type=pipeline, child="middle.dot"]', 'start -> sub -> exit'),
      ['sub/child', 'sub/child/deep/child'],
    ],
    [
      'the child of a manager',
      pipeline('lead [shape=house, child="asking.dot"]', 'start -> lead -> exit'),
      ['lead/child'],
    ],
    ['those of branches', both, ['one/child', 'two/child']],
  ])('%s', async (_name, dot, places) => {
    const { directory, children } = await waiting(dot, ...places);
    const notices: string[] = [];
    const events: string[] = [];
    const result = await cancel(directory, {
      onNotice: (notice) => notices.push(notice),
      onEvent: ({ run_id }) => events.push(run_id),
    });
    expect(result).toMatchObject({ status: 'cancelled' });
    for (const child of children) {
      expect(statusOf(child)).toBe('cancelled');
      expect(jsonOf(child, 'result.json')).toMatchObject({ status: 'cancelled' });
    }
    expect(notices).toEqual([]);
    expect(new Set(events)).toEqual(new Set([jsonOf(directory, 'manifest.json').run_id]));

    const resumed = await resumePipeline(directory, { autoApprove: true });
    expect(resumed.result.status).toBe('success');
    for (const child of children) {
      const types = linesOf(child).map(({ type }) => type);
      expect(types.filter((type) => type === 'PipelineStarted')).toHaveLength(1);
      expect(types.at(-1)).toBe('PipelineCompleted');
    }
  });

  const sub = pipeline('sub [type=pipeline, child="asking.dot"]', 'start -> sub -> exit');
  const linesOf = (directory: string): readonly { readonly type: string }[] =>
    fileOf(directory, 'events.jsonl')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  test('not those that have ended', async () => {
    const { directory, children } = await waiting(both, 'one/child', 'two/child');
    const [one = '', two = ''] = children;
    await resumePipeline(one, { autoApprove: true });
    await cancel(directory);
    expect([statusOf(one), statusOf(two)]).toEqual(['success', 'cancelled']);
  });

  test('none of a run that has ended itself', async () => {
    const { directory, children } = await waiting(sub, 'sub/child');
    await cancel(directory);
    const [child = ''] = children;
    await resumePipeline(child, {});
    await expect(cancel(directory)).rejects.toMatchObject({ code: 'usage' });
    expect(statusOf(child)).toBe('paused');
  });

  test('and where one of them is executed, nothing is', async () => {
    const { directory, children } = await waiting(sub, 'sub/child');
    const lock = acquireLock(path.join(children[0] ?? '', 'lock'));
    await expect(cancel(directory)).rejects.toMatchObject({
      code: 'run_locked',
      message: expect.stringMatching(/was not cancelled: its stage "sub" has started .*being executed/),
    });
    lock.release();
    expect([directory, ...children].map(statusOf)).toEqual(['paused', 'paused']);
  });

  test.each<[string, (child: string) => void, string]>([
    [
      'whose journal is damaged',
      (child) => writeFileSync(path.join(child, 'events.jsonl'), '{}\n'),
      'damaged',
    ],
    [
      'whose pipeline is broken',
      (child) => writeFileSync(path.join(child, 'pipeline.dot'), 'digraph {'),
      'can no longer be read',
    ],
  ])('but one %s does not keep it from being cancelled, and is told of', async (_name, spoil, why) => {
    const { directory, children } = await waiting(sub, 'sub/child');
    for (const child of children) spoil(child);
    const notices: string[] = [];
    expect(await cancel(directory, { onNotice: (notice) => notices.push(notice) })).toMatchObject({
      status: 'cancelled',
    });
    expect(notices).toEqual([expect.stringMatching(`^the child run .* could not be cancelled: .*${why}`)]);
  });
});
