import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fork } from '../../../../src/run/recording/fork.js';
import { pipeline, resumePipeline, type Setup } from '../../../run/harness.js';
import { branchOf, runIn, subjectsOf, working } from './git-run.js';
import { type Repository, repositoryWith } from './repository.js';

const child = pipeline('one', 'two', 'start -> one -> two -> exit');
const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'after', 'start -> sub -> after -> exit');

const alone = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');

function project(text = child): Repository {
  return repositoryWith({ 'child.dot': text });
}

function setupOf(repository: Repository, handlers: NonNullable<Setup['handlers']>): Setup {
  return { sourcePath: path.join(repository.directory, 'main.dot'), handlers };
}

const appending = working(
  Object.fromEntries(['one', 'two', 'after'].map((id) => [id, (files) => files.append('log', `${id} `)])),
);

describe('a pipeline that a stage of a run with git runs', () => {
  test('works on the files of that stage, whose commit has all that it changed', async () => {
    const repository = project();
    const before = repository.look();
    const run = await runIn(repository, parent, setupOf(repository, appending));
    expect(run.result.status).toBe('success');
    expect(repository.filesAt(branchOf(run.result))).toMatchObject({ log: 'one two after ' });
    expect(subjectsOf(repository, run)).toEqual([
      'attractor(after): success',
      'attractor(sub): Pipeline completed: child.dot',
    ]);
    expect(repository.look()).toBe(before);
  });

  test('continues with its files after a crash, and after it failed', async () => {
    const repository = project();
    const red = working({
      one: (files) => files.append('log', 'one '),
      two: () => ({ status: 'fail', failure_reason: 'red' }),
    });
    const run = await runIn(repository, parent, setupOf(repository, red));
    expect(run.result).toMatchObject({ status: 'fail', failed_node: 'sub' });
    const resumed = await resumePipeline(run.directory, setupOf(repository, appending));
    expect(resumed.result.status).toBe('success');
    expect(repository.filesAt(branchOf(run.result))).toMatchObject({ log: 'one two after ' });

    const cut = await runIn(repository, alone, {
      ...setupOf(repository, appending),
      runDirectory: path.join(repository.directory, '.attractor', 'runs', 'two'),
    });
    const journal = path.join(cut.directory, 'events.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const end = lines.findIndex((text) => text.includes('"StageStarted"') && text.includes('"sub"'));
    writeFileSync(journal, `${lines.slice(0, end + 1).join('\n')}\n`);
    const again = await resumePipeline(cut.directory, setupOf(repository, appending));
    expect(again.result.status).toBe('success');
    expect(repository.filesAt(branchOf(cut.result))).toMatchObject({ log: 'one two ' });
  });

  test.each([
    ['works in the files of its branch', child],
    ['has a branch of its own', child.replace('{', '{ git=true;')],
  ])('continues after it failed in a branch, where it %s', async (_what, text) => {
    const repository = project(text);
    const dot = pipeline(
      'each [shape=component, join=met, join_policy=quorum, join_quorum=1]',
      'left [type=tool, tool_command="echo left"]',
      'right [type=tool, tool_command="echo right"]',
      'sub [type=pipeline, child="child.dot"]',
      'met',
      'start -> each',
      'each -> left -> sub',
      'each -> right -> sub -> met -> exit',
    );
    const calls: string[] = [];
    let isRed = true;
    const handlers = working({
      one: (files) => {
        calls.push('one');
        files.write(`one-${calls.length}`, 'done');
      },
      two: (files) => {
        expect(files.list().filter((name) => name.startsWith('one'))).toHaveLength(1);
        return isRed ? { status: 'fail', failure_reason: 'red' } : undefined;
      },
    });
    const run = await runIn(repository, dot, setupOf(repository, handlers));
    expect(run.result.status).toBe('fail');
    isRed = false;
    const resumed = await resumePipeline(run.directory, setupOf(repository, handlers));
    expect(resumed.result.status, resumed.result.failure_reason).toBe('success');
    expect(calls).toEqual(['one', 'one']);
  });

  test('can be forked with the run around it only', async () => {
    const repository = project();
    const run = await runIn(repository, parent, setupOf(repository, appending));
    await expect(fork(path.join(run.directory, 'sub', 'child'), { at: 'two' })).rejects.toThrow(
      `it worked in the files of the run ${run.result.run_id} and has no commits of its own`,
    );
  });

  test('has a branch of its own where it says so itself', async () => {
    const repository = project(child.replace('{', '{ git=true;'));
    const run = await runIn(repository, parent, setupOf(repository, appending));
    expect(run.result.status).toBe('success');
    expect(repository.filesAt(branchOf(run.result))).toMatchObject({ log: 'after ' });
    const id = String(run.result.context['child.run_id']);
    expect(repository.filesAt(branchOf({ run_id: id }))).toMatchObject({ log: 'one two ' });
  });
});
