import { describe, expect, test } from 'vitest';
import { pipeline } from '../../engine/harness.js';
import { branchOf, runIn, subjectsOf, working } from './git-run.js';
import { repositoryWith } from './repository.js';

describe('a run with git', () => {
  test('commits what each stage changes, in a work tree of its own', async () => {
    const repository = repositoryWith({ 'a.txt': 'a\n' });
    const before = repository.look();
    const run = await runIn(
      repository,
      pipeline('plan [label="Plan it"]', 'look', 'build', 'start -> plan -> look -> build -> exit'),
      {
        handlers: working({
          plan: (files) => files.write('plan.md', 'the plan'),
          build: (files) => files.write('a.txt', `${files.read('plan.md')}, done`),
        }),
      },
    );
    expect(run.result).toMatchObject({ status: 'success' });
    expect(subjectsOf(repository, run)).toEqual(['attractor(build): success', 'attractor(plan): Plan it']);
    expect(repository.filesAt(branchOf(run.result))).toEqual({
      'a.txt': 'the plan, done',
      'plan.md': 'the plan',
    });
    expect(repository.look()).toBe(before);
  });

  test('merges branches', async () => {
    const repository = repositoryWith({ 'a.txt': 'a\n' });
    const run = await runIn(
      repository,
      pipeline('p [shape=component]', 'b', 'c', 'd', 'start -> p', 'p -> b -> d', 'p -> c -> d', 'd -> exit'),
      {
        handlers: working({
          b: (files) => files.write('b', 'b'),
          c: (files) => files.write('c', 'c'),
          d: (files) => files.write('d', files.list().join()),
        }),
      },
    );
    expect(run.result).toMatchObject({ status: 'success' });
    expect(subjectsOf(repository, run)).toHaveLength(4);
    expect(Object.keys(repository.filesAt(branchOf(run.result)))).toEqual(['a.txt', 'b', 'c', 'd']);
  });
});
