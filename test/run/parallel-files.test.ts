import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runOnDisk } from './harness.js';

/** `shared` may be run by both branches, `a` and `b` by one each. */
const dot = pipeline(
  'fan [shape=component]; node [type=custom]; join [shape=tripleoctagon, type="parallel.fan_in"]; a; b; shared',
  'start -> fan; fan -> a -> shared -> join; fan -> b -> shared; join -> exit',
);
const custom: Handler['execute'] = ({ node, stageDirectory, writeFile }) => {
  writeFile('note.txt', path.basename(stageDirectory));
  return { status: 'success', notes: `did ${node.id}`, context_updates: { [node.id]: 1 } };
};
const handlers = { custom };

describe('54: files of stages in branches', () => {
  test('54, 96: a stage of one branch has its directory to itself; one of several has a directory a branch', async () => {
    const { directory } = await runOnDisk(dot, { handlers });
    expect(fileOf(directory, 'a', 'note.txt')).toBe('a');
    expect(jsonOf(directory, 'a', 'status.json')).toMatchObject({ outcome: 'success' });
    expect(readdirSync(path.join(directory, 'shared')).sort()).toEqual(['branch-1', 'branch-2']);
    for (const branch of ['branch-1', 'branch-2']) {
      expect(fileOf(directory, 'shared', branch, 'note.txt')).toBe(branch);
      expect(jsonOf(directory, 'shared', branch, 'status.json')).toMatchObject({ notes: 'did shared' });
    }
  });

  test('branches in branches that share a stage lie in each other', async () => {
    const nested = pipeline(
      'fan [shape=component]; in1 [shape=component]; in2 [shape=component]; x [type=custom]',
      'node [shape=tripleoctagon, prompt=""]; join1; join2; join',
      'start -> fan; fan -> in1; fan -> in2; in1 -> x; in1 -> x; in2 -> x; x -> join1; join1 -> join; in2 -> join2 -> join; join -> exit',
    );
    const { directory } = await runOnDisk(nested, { handlers });
    expect(existsSync(path.join(directory, 'x', 'branch-1', 'branch-1', 'note.txt'))).toBe(true);
    expect(existsSync(path.join(directory, 'x', 'branch-1', 'branch-2', 'note.txt'))).toBe(true);
  });

  test('parallel-results.json has what the context has, also when the fan-in has used it up', async () => {
    const { directory, result } = await runOnDisk(dot, { handlers });
    expect(result.context['parallel.results']).toEqual([]);
    expect(jsonOf(directory, 'fan', 'parallel-results.json')).toMatchObject([
      { id: 'a', status: 'success', completed_nodes: ['a', 'shared'], context_updates: { a: 1, shared: 1 } },
      { id: 'b', status: 'success', completed_nodes: ['b', 'shared'] },
    ]);
  });

  test('an inner parallel node has one too, though its branch ends with it', async () => {
    const nested = pipeline(
      'fan [shape=component]; inner [shape=component]; join',
      'start -> fan; fan -> a -> join; fan -> inner; inner -> b -> join; inner -> c -> join; join -> exit',
    );
    const { directory } = await runOnDisk(nested, {
      script: { c: { outcome: 'fail', failure_reason: 'red' } },
    });
    expect(jsonOf(directory, 'inner', 'parallel-results.json')).toMatchObject([
      { id: 'b', status: 'success' },
      { id: 'c', status: 'fail', failure_reason: 'red' },
    ]);
    expect(jsonOf(directory, 'fan', 'parallel-results.json')).toMatchObject([{ id: 'a' }, { id: 'inner' }]);
  });

  test('71a: the results of an earlier visit are put aside', async () => {
    const loop = pipeline(
      'fan [shape=component]; join',
      'start -> fan; fan -> a -> join; fan -> b -> join; join -> fan [condition="context.round=1"]; join -> exit',
    );
    const { directory } = await runOnDisk(loop, {
      script: {
        join: [{ context_updates: { round: 1 } }, { context_updates: { round: 2 } }],
        a: [{ notes: 'first' }, { notes: 'second' }],
      },
    });
    expect(jsonOf(directory, 'fan', 'parallel-results.json')).toMatchObject([{ notes: 'second' }, {}]);
    expect(jsonOf(directory, 'fan', 'visit-1', 'parallel-results.json')).toMatchObject([
      { notes: 'first' },
      {},
    ]);
  });

  test('what a crash kept from being written is there after a resume, where it belongs', async () => {
    const { directory } = await runOnDisk(dot, { handlers });
    const kept = fileOf(directory, 'fan', 'parallel-results.json');
    const lines = fileOf(directory, 'events.jsonl').trimEnd().split('\n');
    const until = lines.findIndex((line) => line.includes('"StageStarted","node_id":"join"'));
    writeFileSync(path.join(directory, 'events.jsonl'), `${lines.slice(0, until).join('\n')}\n`);
    for (const name of ['fan', 'shared', 'checkpoint.json', 'result.json']) {
      rmSync(path.join(directory, name), { recursive: true });
    }
    const { result } = await resumePipeline(directory, { handlers });
    expect(result.status).toBe('success');
    expect(fileOf(directory, 'fan', 'parallel-results.json')).toBe(kept);
    expect(readdirSync(path.join(directory, 'shared')).sort()).toEqual(['branch-1', 'branch-2']);
    expect(jsonOf(directory, 'shared', 'branch-2', 'status.json')).toMatchObject({ notes: 'did shared' });
  });
});
