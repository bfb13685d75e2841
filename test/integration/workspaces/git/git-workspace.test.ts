import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fork } from '../../../../src/run/recording/fork.js';
import { eventsOf, type PipelineRun, pipeline, resumePipeline, testEach } from '../../../run/harness.js';
import { branchOf, runIn, subjectsOf, working } from './git-run.js';
import { gitIn, type Repository, repositoryWith } from './repository.js';

const fails = { status: 'fail', failure_reason: 'not today' };

/** From `p` to `b` and `c`, and from there to `d`. */
const diamond = ['start -> p', 'p -> b -> d', 'p -> c -> d', 'd -> exit'];

function branchesOf(repository: Repository): readonly string[] {
  return repository
    .git('for-each-ref', '--format=%(refname)', 'refs/heads/attractor', 'refs/attractor')
    .split('\n')
    .filter((name) => name !== '');
}

function filesOf(repository: Repository, { result }: PipelineRun): Readonly<Record<string, string>> {
  return repository.filesAt(branchOf(result));
}

describe('the stages of a run with git', () => {
  test('work in a work tree of their own, and what each changes is a commit', async () => {
    const repository = repositoryWith({ 'a.txt': 'a' });
    const before = repository.look();
    const dot = pipeline('plan [label="Plan it"]', 'look', 'build', 'start -> plan -> look -> build -> exit');
    const run = await runIn(repository, dot, {
      handlers: working({
        plan: (files) => files.write('plan.md', 'the plan'),
        build: (files) => files.write('a.txt', `${files.read('plan.md')}, done`),
      }),
    });
    expect(run.result).toMatchObject({
      status: 'success',
      git: { branch: branchOf(run.result), commit: repository.git('rev-parse', branchOf(run.result)) },
    });
    expect(subjectsOf(repository, run)).toEqual(['attractor(build): success', 'attractor(plan): Plan it']);
    expect(filesOf(repository, run)).toEqual({ 'a.txt': 'the plan, done', 'plan.md': 'the plan' });
    expect(repository.look()).toBe(before);
  });

  test('are told in the trailers of their commits', async () => {
    const repository = repositoryWith({ a: '' });
    const run = await runIn(repository, pipeline('work', 'start -> work -> exit'), {
      handlers: working({ work: (files) => files.write('b', '') }),
    });
    const message = repository.git('log', '-1', '--format=%B', branchOf(run.result));
    expect(message.trim().split('\n')).toEqual([
      'attractor(work): success',
      '',
      `Attractor-Run: ${run.result.run_id}`,
      'Attractor-Node: work',
      'Attractor-Visit: 1',
      'Attractor-Attempt: 1',
      'Attractor-Outcome: success',
    ]);
  });

  test('work in the subdirectory in which the run was started', async () => {
    const repository = repositoryWith({ 'app/a': 'a', b: 'b' });
    const run = await runIn(repository, pipeline('work', 'start -> work -> exit'), {
      workingDirectory: path.join(repository.directory, 'app'),
      handlers: working({ work: (files) => files.write('c', files.list().join()) }),
    });
    expect(filesOf(repository, run)).toEqual({ 'app/a': 'a', 'app/c': 'a', b: 'b' });
  });

  test('leave what they did although they failed, where the run continues from there', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline(
      'check',
      'fix',
      'start -> check',
      'check -> fix [condition="outcome=fail"]',
      'check -> exit',
      'fix -> exit',
    );
    const run = await runIn(repository, dot, {
      handlers: working({
        check: (files) => {
          files.write('report', 'red');
          return fails;
        },
        fix: (files) => files.write('fixed', files.read('report')),
      }),
    });
    expect(filesOf(repository, run)).toMatchObject({ report: 'red', fixed: 'red' });
    expect(subjectsOf(repository, run).at(-1)).toBe('attractor(check): not today');
  });

  test('find nothing of an attempt that failed before theirs, and git keeps it aside', async () => {
    const repository = repositoryWith({ a: 'a' });
    const run = await runIn(repository, pipeline('work [max_retries=1]', 'start -> work -> exit'), {
      handlers: working({
        work: (files, { attempt }) => {
          files.write(`attempt-${attempt}`, files.list().join());
          files.write('a', 'changed');
          return attempt === 1 ? { status: 'retry', failure_reason: 'again' } : undefined;
        },
      }),
    });
    expect(filesOf(repository, run)).toEqual({ a: 'changed', 'attempt-2': 'a' });
    const ref = `refs/${branchOf(run.result)}/failed/work.1.1`;
    expect(repository.filesAt(ref)).toEqual({ a: 'changed', 'attempt-1': 'a' });
    expect(run.events).toContainEqual(expect.objectContaining({ message: expect.stringContaining(ref) }));
  });

  test('may make commits and change to other branches themselves', async () => {
    const repository = repositoryWith({ a: 'a' });
    const run = await runIn(repository, pipeline('one', 'two', 'start -> one -> two -> exit'), {
      handlers: working({
        one: ({ directory, write }) => {
          write('b', 'b');
          gitIn(directory, 'switch', '-c', 'mine');
          gitIn(directory, 'add', 'b');
          gitIn(directory, 'commit', '-m', 'by hand');
          write('c', 'c');
        },
        two: (files) => files.write('d', files.list().join()),
      }),
    });
    expect(filesOf(repository, run)).toEqual({ a: 'a', b: 'b', c: 'c', d: 'a,b,c' });
    expect(subjectsOf(repository, run)).toEqual([
      'attractor(two): success',
      'attractor(one): success',
      'by hand',
    ]);
  });

  test('do not run the hooks of the repository, nor sign', async () => {
    const repository = repositoryWith({ a: '' });
    repository.write(
      '.git/hooks/post-checkout',
      '#!/bin/sh\ntouch "$(git rev-parse --git-common-dir)/hooked"\n',
    );
    repository.git('config', 'core.hooksPath', path.join(repository.directory, '.git/hooks'));
    repository.git('config', 'commit.gpgSign', 'true');
    repository.git('config', 'user.name', 'Eve');
    repository.git('config', 'user.email', 'eve@example.com');
    chmodSync(path.join(repository.directory, '.git/hooks/post-checkout'), 0o755);
    const run = await runIn(repository, pipeline('work', 'start -> work -> exit'), {
      handlers: working({ work: (files) => files.write('b', '') }),
    });
    expect(run.result.status).toBe('success');
    expect(repository.git('log', '-1', '--format=%an <%ae> %cn %G?', branchOf(run.result))).toBe(
      'Eve <eve@example.com> Eve N',
    );
    expect(() => readFileSync(path.join(repository.directory, '.git/hooked'))).toThrow('ENOENT');
  });

  test('leave what is ignored alone, and files of names that nobody expects', async () => {
    const repository = repositoryWith({ '.gitignore': 'cache\n' });
    const names = ['-f', 'a\nb', '"', 'ä', ' '];
    const run = await runIn(repository, pipeline('one', 'two', 'start -> one -> two -> exit'), {
      handlers: working({
        one: (files) => {
          files.write('cache', 'kept');
          for (const name of names) files.write(name, name);
        },
        two: (files) => files.write('seen', files.read('cache')),
      }),
    });
    expect(Object.keys(filesOf(repository, run)).sort()).toEqual(['.gitignore', ...names, 'seen'].sort());
  });

  test('are warned of a repository inside of theirs', async () => {
    const repository = repositoryWith({ a: '' });
    const run = await runIn(repository, pipeline('work', 'start -> work -> exit'), {
      handlers: working({
        work: ({ directory }) => {
          gitIn(directory, 'init', '--quiet', 'inner');
          gitIn(path.join(directory, 'inner'), 'commit', '--allow-empty', '-m', 'x');
        },
      }),
    });
    expect(run.events).toContainEqual(
      expect.objectContaining({
        type: 'LogAppended',
        message: expect.stringContaining('inner is a git repository of its own'),
      }),
    );
  });

  test('fail where git cannot commit what they left', async () => {
    const repository = repositoryWith({ a: '' });
    const run = await runIn(repository, pipeline('work', 'start -> work -> exit'), {
      handlers: working({ work: ({ directory }) => gitIn(directory, 'init', '--quiet', 'inner') }),
    });
    expect(run.result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(run.result.failure_reason).toContain('cannot be committed');
  });

  test('do not lead git to the repository around them when they remove what makes their work tree one', async () => {
    const repository = repositoryWith({ a: '' });
    const before = repository.look();
    const dot = pipeline('work', 'more', 'start -> work -> more -> exit');
    const run = await runIn(repository, dot, {
      handlers: working({
        work: (files) => {
          files.write('a', 'changed');
          rmSync(path.join(files.directory, '.git'));
        },
        more: (files) => files.append('a', ' again'),
      }),
    });
    expect(run.result.status).toBe('success');
    expect(filesOf(repository, run)).toEqual({ a: 'changed again' });
    expect(repository.look()).toBe(before);
  });

  testEach(
    [
      {
        name: 'another repository',
        replace: (directory: string) => {
          gitIn(directory, 'init', '--quiet');
          gitIn(directory, 'commit', '--allow-empty', '-m', 'x');
        },
      },
      {
        name: 'nothing that git knows',
        replace: (directory: string) => mkdirSync(path.join(directory, '.git')),
      },
      {
        name: 'the directory of git itself',
        replace: (directory: string) =>
          writeFileSync(
            path.join(directory, '.git'),
            `gitdir: ${path.resolve(directory, '../../../../.git')}\n`,
          ),
      },
    ].map((entry) => ({
      ...entry,
      name: `that make ${entry.name} of their work tree fail, and the run continues`,
    })),
    async ({ replace }) => {
      const repository = repositoryWith({ a: '' });
      const before = repository.look();
      const dot = pipeline(
        'work',
        'more',
        'start -> work',
        'work -> more [condition="outcome=fail"]',
        'work -> exit',
        'more -> exit',
      );
      const run = await runIn(repository, dot, {
        handlers: working({
          work: (files) => {
            files.write('a', 'lost?');
            rmSync(path.join(files.directory, '.git'));
            replace(files.directory);
          },
          more: (files) => files.write('b', files.list().join()),
        }),
      });
      expect(eventsOf(run.events, 'StageFailed')[0]?.error).toContain(
        'is no longer a work tree of the repository',
      );
      expect(filesOf(repository, run)).toEqual({ a: '', b: 'a' });
      expect(readFileSync(path.join(run.directory, 'work-tree~1', 'a'), 'utf8')).toBe('lost?');
      expect(run.events).toContainEqual(
        expect.objectContaining({ type: 'LogAppended', message: expect.stringContaining('work-tree~1') }),
      );
      expect(repository.look()).toBe(before);
    },
  );

  test('do not keep the run from continuing with what git cannot commit', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline(
      'work',
      'more',
      'start -> work',
      'work -> more [condition="outcome=fail"]',
      'work -> exit',
      'more -> exit',
    );
    const run = await runIn(repository, dot, {
      handlers: working({
        work: (files) => {
          gitIn(files.directory, 'init', '--quiet', 'inner');
          files.write('inner/x', 'x');
        },
        more: (files) => files.write('b', files.list().join()),
      }),
    });
    expect(run.result.path).toEqual(['start', 'work', 'more', 'exit']);
    expect(filesOf(repository, run)).toEqual({ a: '', b: 'a' });
    expect(readFileSync(path.join(run.directory, 'work-tree~1', 'inner', 'x'), 'utf8')).toBe('x');
  });

  test('do not keep the run from continuing with the lock of a git that was killed with them', async () => {
    const repository = repositoryWith({ a: '' });
    const run = await runIn(repository, pipeline('work [max_retries=1]', 'start -> work -> exit'), {
      handlers: working({
        work: (files, { attempt }) => {
          files.append('a', String(attempt));
          const lock = gitIn(
            files.directory,
            'rev-parse',
            '--path-format=absolute',
            '--git-path',
            'index.lock',
          );
          writeFileSync(lock, '');
          return attempt === 1 ? { status: 'retry', failure_reason: 'again' } : undefined;
        },
      }),
    });
    expect(run.result.status).toBe('success');
    expect(filesOf(repository, run)).toEqual({ a: '2' });
  });

  test('keep their files through a restart of the pipeline', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline(
      'work',
      'more',
      'start -> work -> more',
      'more -> work [loop_restart=true, condition="outcome=fail"]',
      'more -> exit',
    );
    let visits = 0;
    const run = await runIn(repository, dot, {
      handlers: working({
        work: (files) => files.append('log', 'work '),
        more: (files) => {
          files.append('log', 'more ');
          visits += 1;
          return visits === 1 ? fails : undefined;
        },
      }),
    });
    expect(run.result.status).toBe('success');
    expect(filesOf(repository, run)).toMatchObject({ log: 'work more work more ' });
  });
});

describe('branches of a run with git', () => {
  test('work apart, and are merged where they meet in the order of the edges', async () => {
    const repository = repositoryWith({ a: 'a' });
    const before = repository.look();
    const run = await runIn(repository, pipeline('p [shape=component]', 'b', 'c', 'd', ...diamond), {
      handlers: working({
        b: (files) => files.write('b', files.list().join()),
        c: (files) => files.write('c', files.list().join()),
        d: (files) => files.write('d', files.list().join()),
      }),
    });
    expect(filesOf(repository, run)).toEqual({ a: 'a', b: 'a', c: 'a', d: 'a,b,c' });
    expect(subjectsOf(repository, run)).toContain('attractor(d): merge the branch c');
    const branch = `refs/heads/${branchOf(run.result)}`;
    expect(branchesOf(repository)).toEqual([branch, `${branch}.branches/b`, `${branch}.branches/c`]);
    // Only the work tree of the main line is left.
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(2);
    expect(repository.look()).toBe(before);
  });

  test('meet at the exit too', async () => {
    const repository = repositoryWith({ a: 'a' });
    const run = await runIn(
      repository,
      pipeline('p [shape=component]', 'b', 'c', 'start -> p', 'p -> b -> exit', 'p -> c -> exit'),
      {
        handlers: working({ b: (files) => files.write('b', 'b'), c: (files) => files.write('c', 'c') }),
      },
    );
    expect(run.result.status).toBe('success');
    expect(Object.keys(filesOf(repository, run))).toEqual(['a', 'b', 'c']);
  });

  test('of which a fan-in chooses one leave the files of that one', async () => {
    const repository = repositoryWith({ a: 'a' });
    const run = await runIn(
      repository,
      pipeline('p [shape=component]', 'b', 'c', 'd [shape=tripleoctagon]', ...diamond),
      {
        handlers: working({
          b: (files) => {
            files.write('a', 'b');
            return { status: 'success', context_updates: { score: 1 } };
          },
          c: (files) => {
            files.write('a', 'c');
            return { status: 'success', context_updates: { score: 2 } };
          },
        }),
      },
    );
    expect(run.result.context['parallel.fan_in.best_id']).toBe('c');
    expect(filesOf(repository, run)).toEqual({ a: 'c' });
    expect(repository.filesAt(`${branchOf(run.result)}.branches/b`)).toEqual({ a: 'b' });
  });

  test('that failed leave nothing', async () => {
    const repository = repositoryWith({ a: 'a' });
    const run = await runIn(repository, pipeline('p [shape=component]', 'b', 'c', 'd', ...diamond), {
      handlers: working({
        b: (files) => files.write('b', 'b'),
        c: (files) => {
          files.write('c', 'c');
          return fails;
        },
      }),
    });
    expect(run.result.status).toBe('success');
    expect(Object.keys(filesOf(repository, run))).toEqual(['a', 'b']);
    expect(Object.keys(repository.filesAt(`${branchOf(run.result)}.branches/c`))).toEqual(['a', 'c']);
  });

  test('that contradict each other fail the stage where they meet, and can be merged by hand', async () => {
    const repository = repositoryWith({ a: 'a' });
    const before = repository.look();
    const dot = pipeline('p [shape=component]', 'b', 'c', 'd', ...diamond);
    const handlers = working({
      b: (files) => files.write('a', 'b'),
      c: (files) => files.write('a', 'c'),
      d: (files) => files.write('d', files.read('a')),
    });
    const run = await runIn(repository, dot, { handlers });
    expect(run.result).toMatchObject({ status: 'fail', failed_node: 'd' });
    expect(run.result.failure_reason).toMatch(/merge conflict at "d".* both changed a\./);
    const branch = branchOf(run.result);
    expect(repository.filesAt(branch)).toEqual({ a: 'a' });
    expect(repository.look()).toBe(before);

    expect((await resumePipeline(run.directory, { handlers })).result.status).toBe('fail');

    const tree = repository.git('rev-parse', `${branch}.branches/c^{tree}`);
    const parents = ['-p', `${branch}.branches/c`, '-p', `${branch}.branches/b`];
    const merged = gitIn(repository.directory, 'commit-tree', ...parents, '-m', 'both', tree);
    repository.git('update-ref', `refs/heads/${branch}.branches/c`, merged);
    expect((await resumePipeline(run.directory, { handlers })).result.status).toBe('success');
    expect(repository.filesAt(branch)).toEqual({ a: 'c', d: 'c' });
  });

  testEach(
    [
      { name: 'that a fork has taken over can be merged there by hand', at: { at: 'd' } },
      { name: 'that a fork has taken over can, while another one is under way', at: { at: 'c' } },
      { name: 'that a fork has taken over can, after the conflict', at: {} },
    ],
    async ({ at }) => {
      const repository = repositoryWith({ a: 'a' });
      const dot = pipeline('p [shape=component, max_parallel=1]', 'b', 'c', 'd', ...diamond);
      const handlers = working({
        b: (files) => files.write('a', 'b'),
        c: (files) => files.write('a', 'c'),
        d: (files) => files.write('d', files.read('a')),
      });
      const run = await runIn(repository, dot, { handlers });
      const forked = await fork(run.directory, at);
      if (forked.status !== 'forked') throw new Error('the pipeline is not valid');
      const { result } = await resumePipeline(forked.run_dir, { handlers });
      const own = `${branchOf(forked)}.branches`;
      expect(result.failure_reason).toContain(`${own}/c and ${own}/b both changed a.`);
      const tree = repository.git('rev-parse', `${own}/c^{tree}`);
      const parents = ['-p', `${own}/c`, '-p', `${own}/b`];
      const merged = gitIn(repository.directory, 'commit-tree', ...parents, '-m', 'both', tree);
      repository.git('update-ref', `refs/heads/${own}/c`, merged);
      const resumed = await resumePipeline(forked.run_dir, { handlers });
      expect(resumed.result.status, resumed.result.failure_reason).toBe('success');
      expect(repository.filesAt(branchOf(forked))).toEqual({ a: 'c', d: 'c' });
    },
  );

  test('that are stopped leave nothing, and git keeps aside what they were at', async () => {
    const repository = repositoryWith({ a: 'a' });
    let isBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      isBegun = resolve;
    });
    const run = await runIn(
      repository,
      pipeline('p [shape=component, join_policy=first_success]', 'b', 'c', 'd', ...diamond),
      {
        handlers: working({
          b: async (files) => {
            files.write('b', 'b');
            await begun;
          },
          c: (files, { signal }) => {
            files.write('c', 'half');
            isBegun();
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
          d: (files) => files.write('d', files.list().join()),
        }),
      },
    );
    expect(filesOf(repository, run)).toEqual({ a: 'a', b: 'b', d: 'a,b' });
    expect(repository.filesAt(`refs/${branchOf(run.result)}/stopped/c`)).toEqual({ a: 'a', c: 'half' });
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(2);
  });

  test('may have branches of their own', async () => {
    const repository = repositoryWith({ a: 'a' });
    const dot = pipeline(
      ...['p [shape=component]', 'q [shape=component]', 'b', 'c', 'd', 'e', 'f', 'g'],
      ...['start -> p', 'p -> b -> q', 'q -> c -> e', 'q -> d -> e', 'e -> g', 'p -> f -> g', 'g -> exit'],
    );
    const run = await runIn(repository, dot, {
      handlers: working(
        Object.fromEntries(
          ['b', 'c', 'd', 'e', 'f', 'g'].map((id) => [id, (files) => files.write(id, files.list().join(''))]),
        ),
      ),
    });
    expect(filesOf(repository, run)).toEqual({
      a: 'a',
      b: 'a',
      c: 'ab',
      d: 'ab',
      e: 'abcd',
      f: 'a',
      g: 'abcdef',
    });
  });

  test('that end where those around them end are taken in there', async () => {
    const repository = repositoryWith({ a: 'a' });
    const dot = pipeline(
      ...['p [shape=component]', 'q [shape=component]', 'c', 'd', 'f', 'g'],
      ...['start -> p', 'p -> q', 'q -> c -> g', 'q -> d -> g', 'p -> f -> g', 'g -> exit'],
    );
    const run = await runIn(repository, dot, {
      handlers: working(
        Object.fromEntries(
          ['c', 'd', 'f', 'g'].map((id) => [id, (files) => files.write(id, files.list().join(''))]),
        ),
      ),
    });
    expect(filesOf(repository, run)).toEqual({ a: 'a', c: 'a', d: 'a', f: 'a', g: 'acdf' });
  });

  test('of a second visit begin afresh, and have names of their own', async () => {
    const repository = repositoryWith({ a: 'a' });
    let rounds = 0;
    const dot = pipeline(
      'p [shape=component]',
      'b',
      'c',
      'd',
      'start -> p',
      'p -> b -> d',
      'p -> c -> d',
      'd -> p [condition="outcome=fail"]',
      'd -> exit',
    );
    const run = await runIn(repository, dot, {
      handlers: working({
        b: (files) => files.append('b', 'b'),
        c: (files) => files.append('c', 'c'),
        d: () => {
          rounds += 1;
          return rounds === 1 ? fails : undefined;
        },
      }),
    });
    expect(filesOf(repository, run)).toEqual({ a: 'a', b: 'bb', c: 'cc' });
    expect(branchesOf(repository)).toHaveLength(5);
  });
});

describe('a run with git that is resumed', () => {
  test('continues in the branch that failed, from before its stage, and takes in those that had ended', async () => {
    const repository = repositoryWith({ a: 'a' });
    const dot = pipeline(
      'p [shape=component, join_policy=k_of_n, join_k=2]',
      'b',
      'c',
      'e',
      'd',
      'start -> p',
      'p -> b -> d',
      'p -> c -> e -> d',
      'd -> exit',
    );
    const handlers = (isRed: boolean) =>
      working({
        b: (files) => files.append('b', 'b'),
        c: (files) => files.append('c', 'c'),
        e: (files) => {
          files.append('c', isRed ? 'red' : 'green');
          return isRed ? fails : undefined;
        },
        d: (files) => files.write('d', files.list().join()),
      });
    const run = await runIn(repository, dot, { handlers: handlers(true) });
    expect(run.result).toMatchObject({ status: 'fail', failed_node: 'p' });
    const resumed = await resumePipeline(run.directory, { handlers: handlers(false) });
    expect(resumed.result).toMatchObject({ status: 'success', visits: { b: 1, c: 1, e: 2 } });
    expect(filesOf(repository, run)).toEqual({ a: 'a', b: 'b', c: 'cgreen', d: 'a,b,c' });
  });

  test('runs a stage that failed again on the files from before it', async () => {
    const repository = repositoryWith({ a: 'a' });
    const dot = pipeline('one', 'two', 'start -> one -> two -> exit');
    const two = (isRed: boolean) =>
      working({
        one: (files) => files.write('one', '1'),
        two: (files) => {
          files.write(isRed ? 'red' : 'green', files.list().join());
          return isRed ? fails : undefined;
        },
      });
    const run = await runIn(repository, dot, { handlers: two(true) });
    expect(filesOf(repository, run)).toEqual({ a: 'a', one: '1', red: 'a,one' });
    await resumePipeline(run.directory, { handlers: two(false) });
    expect(filesOf(repository, run)).toEqual({ a: 'a', one: '1', green: 'a,one' });
    expect(repository.filesAt(`refs/${branchOf(run.result)}/undone/two.2.1`)).toMatchObject({ red: 'a,one' });
  });

  test('continues elsewhere on the files from before that stage', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline('one', 'two', 'three', 'start -> one -> two -> three -> exit');
    const handlers = working(
      Object.fromEntries(['one', 'two', 'three'].map((id) => [id, (files) => files.append('a', `${id} `)])),
    );
    const run = await runIn(repository, dot, { handlers });
    await resumePipeline(run.directory, { handlers }, { from: 'two' });
    expect(filesOf(repository, run)).toEqual({ a: 'one two three ' });
    expect(repository.filesAt(`refs/${branchOf(run.result)}/undone/two.2.1`)).toEqual({
      a: 'one two three ',
    });
  });

  test('gets its work tree again where somebody has removed it', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline('one', 'two', 'start -> one -> two -> exit');
    const run = await runIn(repository, dot, {
      handlers: working({ one: (files) => files.write('one', '1'), two: () => fails }),
    });
    rmSync(path.join(run.directory, 'work-tree'), { recursive: true });
    const handlers = working({ two: (files) => files.write('two', files.list().join()) });
    expect((await resumePipeline(run.directory, { handlers })).result.status).toBe('success');
    expect(filesOf(repository, run)).toEqual({ a: '', one: '1', two: 'a,one' });
  });

  test('does not move a branch that somebody has checked out', async () => {
    const repository = repositoryWith({ a: '' });
    const dot = pipeline('one', 'start -> one -> exit');
    const run = await runIn(repository, dot, { handlers: working({ one: () => fails }) });
    rmSync(path.join(run.directory, 'work-tree'), { recursive: true });
    repository.git('worktree', 'prune');
    repository.git('switch', '--quiet', branchOf(run.result));
    await expect(resumePipeline(run.directory, { handlers: working({}) })).rejects.toThrow(
      /is checked out in .*repository\. Change to another branch there/,
    );
  });
});
