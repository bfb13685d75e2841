import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { type ForkedRun, type ForkOptions, fork } from '../../../src/run/recording/fork.js';
import { working } from '../../integration/workspaces/git/git-run.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import {
  eventsOf,
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  type Setup,
  testEach,
} from '../harness.js';

async function forked(run: PipelineRun, options: ForkOptions = {}): Promise<ForkedRun> {
  const made = await fork(run.directory, options);
  if (made.status === 'invalid') throw new Error('the pipeline of the run is not valid');
  return made;
}

/** Every file below a directory, by what is in it. */
function contentsOf(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter(
    (name) => !name.includes('work-tree') && statSync(path.join(directory, name)).isFile(),
  );
  const sum = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(path.join(directory, name)))
      .digest('hex');
  return Object.fromEntries(files.map((name) => [name, sum(name)]));
}

const line = pipeline('one', 'two', 'three', 'start -> one -> two -> three -> exit');

/** Leaves a file and a value at every visit, and counts them. */
function counting(done: string[]): Setup {
  return {
    handlers: {
      codergen: ({ node, visit, writeFile, context, artifacts }) => {
        done.push(node.id);
        writeFile('response.md', `${node.id} ${visit}`);
        artifacts.store(`by-${node.id}`, node.id, visit);
        return {
          status: 'success',
          context_updates: { [`by_${node.id}`]: String(context.get('greeting') ?? '') },
        };
      },
    },
  };
}

describe('a fork shares the history of its run', () => {
  testEach(
    [
      { name: 'up to a node', options: { at: 'two' }, shared: ['start', 'one'], again: ['two', 'three'] },
      {
        name: 'up to the first node',
        options: { at: 'one' },
        shared: ['start'],
        again: ['one', 'two', 'three'],
      },
      {
        name: 'up to the exit',
        options: { at: 'exit' },
        shared: ['start', 'one', 'two', 'three'],
        again: [],
      },
      { name: 'for no step', options: { step: 0 }, shared: [], again: ['one', 'two', 'three'] },
      { name: 'for two steps', options: { step: 2 }, shared: ['start', 'one', 'two'], again: ['three'] },
      { name: 'for all steps', options: { step: 3 }, shared: ['start', 'one', 'two', 'three'], again: [] },
    ],
    async ({ options, shared, again }) => {
      const done: string[] = [];
      const setup = counting(done);
      const run = await runOnDisk(line, setup);
      const before = contentsOf(run.directory);
      const made = await forked(run, options);
      done.length = 0;
      const worked = shared.filter((id) => id !== 'start');
      const left = readdirSync(made.run_dir).filter((name) => ['one', 'two', 'three'].includes(name));
      expect(left.sort()).toEqual([...worked].sort());
      const resumed = await resumePipeline(made.run_dir, setup);
      expect(done).toEqual(again);
      expect(resumed.result).toMatchObject({ status: 'success', run_id: made.run_id, path: run.result.path });
      expect(resumed.result.context).toEqual(run.result.context);
      expect(contentsOf(run.directory)).toEqual(before);
      expect(fileOf(made.run_dir, 'three', 'response.md')).toBe('three 1');
    },
  );

  test('and says where it comes from', async () => {
    const run = await runOnDisk(line, counting([]));
    const made = await forked(run, { step: 1 });
    expect(made.run_id).not.toBe(run.result.run_id);
    expect(path.dirname(made.run_dir)).toBe(path.dirname(run.directory));
    expect(jsonOf(made.run_dir, 'manifest.json')).toMatchObject({
      run_id: made.run_id,
      forked_from: { run_id: run.result.run_id, seq: made.forked_from.seq },
    });
    const journal = fileOf(made.run_dir, 'events.jsonl')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(journal).toHaveLength(made.forked_from.seq);
    expect(new Set(journal.map(({ run_id }) => run_id))).toEqual(new Set([made.run_id]));
  });

  test('and goes another way with other values', async () => {
    const dot = pipeline(
      'a',
      'b',
      'c',
      'start -> a',
      'a -> b [condition="context.way=left"]',
      'a -> c',
      'b -> exit',
      'c -> exit',
    );
    const run = await runOnDisk(dot, { handlers: working({}) });
    expect(run.result.path).toEqual(['start', 'a', 'c', 'exit']);
    const made = await forked(run, { step: 1 });
    const resumed = await resumePipeline(made.run_dir, { handlers: working({}), inputs: { way: 'left' } });
    expect(resumed.result.path).toEqual(['start', 'a', 'b', 'exit']);
  });

  test('in a loop, with the files of the visits that it shares', async () => {
    const dot = pipeline('a', 'b', 'start -> a -> b', 'b -> a [condition="outcome=fail"]', 'b -> exit');
    const setup: Setup = {
      handlers: {
        codergen: ({ node, visit, writeFile }) => {
          writeFile('response.md', `${node.id} ${visit}`);
          return node.id === 'b' && visit < 3
            ? { status: 'fail', failure_reason: 'again' }
            : { status: 'success' };
        },
      },
    };
    const run = await runOnDisk(dot, setup);
    expect(run.result.visits).toMatchObject({ a: 3, b: 3 });
    const made = await forked(run, { step: 4 });
    expect(fileOf(made.run_dir, 'a', 'response.md')).toBe('a 2');
    expect(fileOf(made.run_dir, 'a', 'visit-1', 'response.md')).toBe('a 1');
    expect(existsSync(path.join(made.run_dir, 'a', 'visit-2'))).toBe(false);
    await resumePipeline(made.run_dir, setup);
    expect(contentsOf(path.join(made.run_dir, 'a'))).toEqual(contentsOf(path.join(run.directory, 'a')));
  });

  test('with branches that were under way, which continue', async () => {
    const dot = pipeline(
      'p [shape=component]',
      'b',
      'c',
      'd',
      'start -> p',
      'p -> b -> d',
      'p -> c -> d',
      'd -> exit',
    );
    const done: string[] = [];
    const setup = counting(done);
    const run = await runOnDisk(dot, setup);
    for (const [options, again] of [
      [{ at: 'c' }, ['b', 'c', 'd']],
      [{ step: 1 }, ['c', 'd']],
      [{ at: 'd' }, ['d']],
    ] as const) {
      done.length = 0;
      const made = await forked(run, options);
      const resumed = await resumePipeline(made.run_dir, setup);
      expect(resumed.result.status).toBe('success');
      expect([...done].sort()).toEqual(again);
    }
  });

  test('and its artifacts, large ones too, but none that were stored later', async () => {
    const run = await runOnDisk(line, {
      handlers: {
        codergen: async ({ node, artifacts, sleep }) => {
          artifacts.store(node.id, node.id, node.id.repeat(60_000));
          await sleep(1000);
          return { status: 'success' };
        },
      },
    });
    const made = await forked(run, { step: 2 });
    const files = readdirSync(path.join(made.run_dir, 'artifacts')).sort();
    expect(files).toEqual(['index.jsonl', 'one.json', 'two.json']);
    const read = await resumePipeline(made.run_dir, {
      handlers: {
        codergen: ({ artifacts }) => ({
          status: 'success',
          notes: artifacts
            .list()
            .map(({ id }) => id)
            .join(),
        }),
      },
    });
    expect(eventsOf(read.events, 'StageCompleted')[0]?.outcome.notes).toBe('one,two');
  });

  test('and not its conversations', async () => {
    const dot = pipeline(
      'graph [default_fidelity=full, default_thread=t]',
      'a',
      'b',
      'start -> a -> b -> exit',
    );
    const sessions: unknown[] = [];
    const backend = {
      run: async (
        _node: unknown,
        _prompt: string,
        _context: unknown,
        call: { session?: unknown; report: (progress: object) => void },
      ) => {
        sessions.push(call.session);
        call.report({ kind: 'session_started', backend: 'test', session_id: 'one' });
        return 'done';
      },
    } as unknown as NonNullable<Setup['backend']>;
    const run = await runOnDisk(dot, { backend });
    expect(sessions).toEqual([undefined, { backend: 'test', session_id: 'one' }]);
    const made = await forked(run, { at: 'b' });
    await resumePipeline(made.run_dir, { backend });
    expect(sessions.at(-1)).toBeUndefined();
  });

  testEach(
    [
      { name: 'of a child next to the run that it is a part of', child: ['kid', 'child'] },
      { name: 'of a child of a child, too', child: ['kid', 'child', 'kid', 'child'] },
    ],
    async ({ child }) => {
      const directory = temporaryDirectory();
      const files = {
        'inner.dot': pipeline('one', 'two', 'start -> one -> two -> exit'),
        'outer.dot': pipeline('kid [type=pipeline, child="inner.dot"]', 'two', 'start -> kid -> two -> exit'),
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
      const done: string[] = [];
      const setup = { ...counting(done), sourcePath: path.join(directory, 'main.dot') };
      const dot = pipeline('kid [type=pipeline, child="outer.dot"]', 'start -> kid -> exit');
      const run = await runOnDisk(dot, { ...setup, runDirectory: path.join(directory, 'runs', 'first') });
      expect(run.result.status).toBe('success');
      const before = contentsOf(run.directory);
      const made = await fork(path.join(run.directory, ...child), { at: 'two' });
      if (made.status === 'invalid') throw new Error('the pipeline of the child is not valid');
      expect(path.dirname(made.run_dir)).toBe(path.join(directory, 'runs'));
      done.length = 0;
      expect((await resumePipeline(made.run_dir, setup)).result.status).toBe('success');
      expect(done).toEqual(['two']);
      expect(jsonOf(made.run_dir, 'manifest.json')).toMatchObject({ parent_run: null });
      expect(contentsOf(run.directory)).toEqual(before);
    },
  );

  test('whose spent budget is the budget of what is left', async () => {
    const backend = {
      run: async (
        _node: unknown,
        _prompt: string,
        _context: unknown,
        call: { checkBudget: () => void; report: (progress: object) => void },
      ) => {
        call.checkBudget();
        const usage = { requests: 1, input_tokens: 100, output_tokens: 0 };
        call.report({ kind: 'model_used', provider: 'test', model: 'test', usage });
        return 'done';
      },
    } as unknown as NonNullable<Setup['backend']>;
    const run = await runOnDisk(line, { backend, budgetTokens: 400 });
    expect(run.result.status).toBe('success');
    const made = await forked(run, { at: 'two' });
    expect(jsonOf(made.run_dir, 'manifest.json').options).toMatchObject({ budget_tokens: 400 });
    const paused = await resumePipeline(made.run_dir, { backend, budgetTokens: 200 });
    expect(paused.result).toMatchObject({ status: 'paused', path: ['start', 'one', 'two'] });
    const resumed = await resumePipeline(made.run_dir, { backend, budgetTokens: 400 });
    expect(resumed.result.status).toBe('success');
    expect(resumed.result.usage).toMatchObject({ requests: 3, input_tokens: 300 });
  });

  test('and leaves alone what lies next to it', async () => {
    const run = await runOnDisk(line, counting([]));
    const home = path.join(temporaryDirectory(), 'new');
    mkdirSync(`${home}.forking`);
    writeFileSync(path.join(`${home}.forking`, 'mine'), 'mine');
    await forked(run, { step: 1, runDirectory: home });
    expect(readdirSync(path.dirname(home)).sort()).toEqual(['new', 'new.forking']);
    expect(fileOf(`${home}.forking`, 'mine')).toBe('mine');
  });

  test('that failed, and stands where that stands', async () => {
    const run = await runOnDisk(line, {
      handlers: working({ two: () => ({ status: 'fail', failure_reason: 'no' }) }),
    });
    const made = await forked(run);
    const resumed = await resumePipeline(made.run_dir, { handlers: working({}) });
    expect(resumed.result).toMatchObject({
      status: 'success',
      path: ['start', 'one', 'two', 'two', 'three', 'exit'],
    });
    expect(jsonOf(run.directory, 'result.json').status).toBe('fail');
  });
});

describe('a run cannot be forked', () => {
  testEach(
    [
      { name: 'at no node of it', options: { at: 'tow' }, message: /"tow" is not a node of its pipeline/ },
      { name: 'at a node that it never came to', options: { at: 'other' }, message: /never reached "other"/ },
      { name: 'after its end', options: { step: 2 }, message: /only 1 of its stages have ended/ },
      { name: 'where it succeeded', options: {}, message: /it has succeeded.*name a node or a step/ },
      { name: 'at two places', options: { at: 'one', step: 1 }, message: /not at both/ },
    ],
    async ({ options, message }) => {
      const dot = pipeline(
        'one',
        'other',
        'start -> one',
        'one -> exit',
        'one -> other [condition="outcome=fail"]',
        'other -> exit',
      );
      const run = await runOnDisk(dot, { handlers: working({}) });
      const before = readdirSync(path.dirname(run.directory));
      await expect(fork(run.directory, options)).rejects.toThrow(message);
      expect(readdirSync(path.dirname(run.directory))).toEqual(before);
    },
  );

  test('into a directory that holds something', async () => {
    const run = await runOnDisk(line, { handlers: working({}) });
    await expect(fork(run.directory, { step: 1, runDirectory: run.directory })).rejects.toThrow(
      /is not empty/,
    );
  });

  test('whose journal is damaged', async () => {
    const run = await runOnDisk(line, { handlers: working({}) });
    const journal = path.join(run.directory, 'events.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('StageStarted', 'StageStirred'));
    await expect(fork(run.directory, { step: 1 })).rejects.toThrow(/is damaged in line/);
  });
});

test('plugins of the run are needed to fork it', async () => {
  const registry = new HandlerRegistry().register('mine', { execute: () => ({ status: 'success' }) });
  const run = await runOnDisk(pipeline('a [type=mine]', 'start -> a -> exit'), {
    handlers: { mine: () => ({ status: 'success' }) },
  });
  expect((await forked(run, { at: 'a', handlers: registry })).status).toBe('forked');
});
