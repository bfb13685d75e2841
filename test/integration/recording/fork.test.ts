import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ForkedRun, type ForkOptions, fork } from '../../../src/run/recording/fork.js';
import { type PipelineRun, pipeline, resumePipeline } from '../../run/harness.js';
import { branchOf, runIn, working } from '../workspaces/git/git-run.js';
import { repositoryWith } from '../workspaces/git/repository.js';

async function forked(run: PipelineRun, options: ForkOptions = {}): Promise<ForkedRun> {
  const made = await fork(run.directory, options);
  if (made.status === 'invalid') throw new Error('the pipeline of the run is not valid');
  return made;
}

const line = pipeline('one', 'two', 'three', 'start -> one -> two -> three -> exit');

describe('a fork of a run with git', () => {
  const handlers = working(
    Object.fromEntries(['one', 'two', 'three'].map((id) => [id, (files) => files.append('log', `${id} `)])),
  );

  test('begins on the files of each step, on a branch of its own', async () => {
    const repository = repositoryWith({ log: '' });
    const run = await runIn(repository, line, { handlers });
    const branch = branchOf(run.result);
    const tip = repository.git('rev-parse', branch);
    for (const [step, log] of ['', 'one ', 'one two ', 'one two three '].entries()) {
      const made = await forked(run, { step });
      const its = branchOf(made);
      expect(repository.git('status', '--porcelain')).toBe('');
      expect(repository.filesAt(its)).toEqual({ log: log.trimEnd() === '' ? '' : log });
      const other = working(
        Object.fromEntries(
          ['one', 'two', 'three'].map((id) => [id, (files) => files.append('log', `other ${id} `)]),
        ),
      );
      await resumePipeline(made.run_dir, { handlers: other });
      const rest = ['one', 'two', 'three'].slice(step).map((id) => `other ${id} `);
      expect(repository.filesAt(its)).toEqual({ log: `${log}${rest.join('')}` });
    }
    expect(repository.git('rev-parse', branch)).toBe(tip);
  });

  test('has the files of branches that were under way', async () => {
    const repository = repositoryWith({ a: '' });
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
    const work = working(
      Object.fromEntries(['b', 'c', 'd'].map((id) => [id, (files) => files.write(id, files.list().join())])),
    );
    const run = await runIn(repository, dot, { handlers: work });
    for (const options of [{ step: 1 }, { step: 2 }, { at: 'd' }, { at: 'c' }]) {
      const made = await forked(run, options);
      await resumePipeline(made.run_dir, { handlers: work });
      expect(repository.filesAt(branchOf(made))).toEqual(repository.filesAt(branchOf(run.result)));
    }
  });

  test('says where git has lost its commits', async () => {
    const repository = repositoryWith({ log: '' });
    const run = await runIn(repository, line, { handlers });
    repository.git('worktree', 'remove', '--force', path.join(run.directory, 'work-tree'));
    repository.git('branch', '--quiet', '-D', branchOf(run.result));
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    await expect(fork(run.directory, { step: 2 })).rejects.toThrow(/is no longer in /);
  });
});
