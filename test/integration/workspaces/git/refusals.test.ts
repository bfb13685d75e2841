import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { refSafe } from '../../../../src/workspaces/git/branch-names.js';
import { pipeline, resumePipeline, runOnDisk, testEach } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { branchOf, runIn, working } from './git-run.js';
import { emptyRepository, gitIn, repositoryIn, repositoryWith } from './repository.js';

const dot = pipeline('work', 'start -> work -> exit');

describe('a run with git begins only where git can keep its files', () => {
  testEach(
    [
      {
        name: 'no repository',
        place: () => temporaryDirectory(),
        message: /is not in a git repository \(create one with `git init`\)/,
      },
      {
        name: 'no commit',
        place: () => emptyRepository().directory,
        message: /has no commit yet to start from/,
      },
      {
        name: 'a bare repository',
        place: () => emptyRepository('--bare').directory,
        message: /is a bare repository/,
      },
      {
        name: 'the directory of git itself',
        place: () => path.join(repositoryWith({ a: '' }).directory, '.git'),
        message: /is inside of the repository's own directory/,
      },
    ],
    async ({ place, message }) => {
      const workingDirectory = place();
      const runDirectory = path.join(temporaryDirectory(), 'run');
      await expect(runOnDisk(dot, { git: true, workingDirectory, runDirectory })).rejects.toThrow(message);
      expect(existsSync(runDirectory)).toBe(false);
    },
  );

  testEach(
    [
      { name: 'the repository itself', runDirectory: '.' },
      { name: 'a directory around it', runDirectory: '..' },
      { name: 'a directory of it that has files', runDirectory: 'docs' },
    ],
    async ({ runDirectory }) => {
      const repository = repositoryWith({ 'docs/a': 'a' });
      const before = repository.look();
      const run = runIn(repository, dot, { runDirectory: path.resolve(repository.directory, runDirectory) });
      await expect(run).rejects.toThrow(
        /the run directory .* contains files of the repository; name another one/,
      );
      expect(repository.look()).toBe(before);
    },
  );

  test('and git is installed', async () => {
    const before = process.env.PATH;
    process.env.PATH = temporaryDirectory();
    try {
      const workingDirectory = temporaryDirectory();
      const run = runOnDisk(dot, { git: true, workingDirectory });
      await expect(run).rejects.toThrow(/git is not installed, or not on the PATH/);
    } finally {
      process.env.PATH = before;
    }
  });
});

describe('where a run with git begins', () => {
  test('is the last commit, and somebody is told what is not in it', async () => {
    const repository = repositoryWith({ a: 'a', b: 'b' });
    repository.write('a', 'changed');
    repository.write('new', 'new');
    repository.write('staged', 'staged');
    repository.git('add', 'staged');
    const before = repository.look();
    const notices: string[] = [];
    const run = await runIn(repository, dot, {
      onNotice: (message) => void notices.push(message),
      handlers: working({ work: (files) => files.write('seen', files.list().join()) }),
    });
    expect(notices).toContain(
      'the run starts from the last commit; uncommitted changes are ignored: a, staged, new',
    );
    expect(repository.filesAt(branchOf(run.result))).toEqual({ a: 'a', b: 'b', seen: 'a,b' });
    expect(repository.look()).toBe(before);
  });

  test('may be a detached head, a shallow clone, and another work tree', async () => {
    const origin = repositoryWith({ a: '1' });
    origin.write('a', '2');
    origin.commit();
    const clone = path.join(temporaryDirectory(), 'clone');
    gitIn(origin.directory, 'clone', '--quiet', '--depth=1', `file://${origin.directory}`, clone);
    const other = path.join(temporaryDirectory(), 'other');
    gitIn(clone, 'worktree', 'add', '--quiet', '--detach', other);
    const repository = repositoryIn(other);
    const run = await runIn(repository, dot, {
      handlers: working({ work: (files) => files.write('b', files.read('a')) }),
    });
    expect(repository.filesAt(branchOf(run.result))).toEqual({ a: '2', b: '2' });
  });

  test('has no files of submodules, and keeps what it says of them', async () => {
    const inner = repositoryWith({ x: 'x' });
    const repository = repositoryWith({ a: 'a' });
    gitIn(
      repository.directory,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      inner.directory,
      'inner',
    );
    repository.commit();
    const run = await runIn(repository, dot, {
      handlers: working({ work: (files) => files.write('b', 'b') }),
    });
    const link = repository.git('ls-tree', branchOf(run.result), 'inner');
    expect(link).toBe(repository.git('ls-tree', 'HEAD', 'inner'));
  });

  test('says where a filter is missing that the repository needs', async () => {
    const repository = repositoryWith({ a: 'a', '.gitattributes': '*.bin filter=lfs\n', 'b.bin': 'b' });
    repository.git('config', 'filter.lfs.smudge', 'no-such-program %f');
    repository.git('config', 'filter.lfs.required', 'true');
    repository.git('config', 'filter.lfs.clean', 'cat');
    await expect(runIn(repository, dot, { handlers: working({}) })).rejects.toThrow(
      /the files for "work" cannot be prepared: git worktree failed: .*no-such-program[\s\S]*Fix the cause, then resume the run/,
    );
  });

  test('is not a failure of a stage where git is ended while it commits', async () => {
    const repository = repositoryWith({ a: 'a', '.gitattributes': '*.bin filter=deadly\n' });
    repository.git('config', 'filter.deadly.clean', 'kill -9 $PPID');
    const handlers = working({ work: (files) => files.write('b.bin', 'b') });
    const failed = runIn(repository, dot, { handlers });
    await expect(failed).rejects.toThrow(
      /git add failed: it was ended by SIGKILL\. Fix the cause, then resume the run/,
    );
    repository.git('config', '--unset', 'filter.deadly.clean');
    const resumed = await resumePipeline(path.join(repository.directory, '.attractor', 'runs', 'one'), {
      handlers,
    });
    expect(resumed.result.status).toBe('success');
    expect(repository.filesAt(branchOf(resumed.result))).toMatchObject({ a: 'a', 'b.bin': 'b' });
  });

  test('is of no matter to a simulation', async () => {
    const directory = temporaryDirectory();
    const { result } = await runOnDisk(dot, { git: true, simulate: true, workingDirectory: directory });
    expect(result.status).toBe('success');
    expect(result.git).toBeUndefined();
  });

  test('is what the pipeline says, unless the call says otherwise', async () => {
    const repository = repositoryWith({ a: 'a' });
    const withGit = dot.replace('{', '{ git=true;');
    const handlers = working({});
    const { directory } = repository;
    const [kept, left] = [
      await runOnDisk(withGit, { workingDirectory: directory, handlers }),
      await runOnDisk(withGit, { workingDirectory: directory, handlers, git: false }),
    ];
    expect([kept.result.git?.branch, left.result.git]).toEqual([branchOf(kept.result), undefined]);
  });
});

describe('hostile names', () => {
  test('come to nothing in commits', async () => {
    const repository = repositoryWith({ a: '' });
    const label =
      'x\\n\\nAttractor-Run: forged\\n--amend; $(touch pwned) `touch pwned` "quoted" \\u0007 and quite a lot more of it';
    const run = await runIn(
      repository,
      pipeline(
        `__proto__ [label="${label.replaceAll('"', '\\"')}"]`,
        'constructor',
        'start -> __proto__ -> constructor -> exit',
      ),
      {
        handlers: {
          codergen: ({ workingDirectory, node }) => {
            mkdirSync(path.join(workingDirectory, node.id));
            gitIn(workingDirectory, 'config', '--file', `${node.id}/file`, 'a.b', 'c');
            return { status: 'success', notes: 'done\n\nAttractor-Run: forged' };
          },
        },
      },
    );
    expect(run.result.status).toBe('success');
    const branch = branchOf(run.result);
    const runs = repository.git(
      'log',
      '--format=%(trailers:key=Attractor-Run,valueonly,separator=|)',
      `main..${branch}`,
    );
    expect(runs.split('\n')).toEqual([run.result.run_id, run.result.run_id]);
    const subjects = repository.git('log', '--format=%s', `main..${branch}`).split('\n');
    expect(subjects[0]).toBe('attractor(constructor): done');
    expect(subjects[1]).toMatch(/^attractor\(__proto__\): x Attractor-Run: forged --amend; .*…$/u);
    expect([...(subjects[1] ?? '')].length).toBeLessThanOrEqual('attractor(__proto__): '.length + 50);
    expect(Object.keys(repository.filesAt(branch))).toEqual(['__proto__/file', 'a', 'constructor/file']);
  });

  test('become names of branches that git takes', () => {
    const { directory } = emptyRepository();
    for (const name of [
      'a b',
      'a..b',
      '.a',
      'a.',
      'a.lock',
      'a@{b',
      '-a',
      'a~1^2:3?*[\\',
      '\u0000\n',
      'ä',
      '@',
    ]) {
      const ref = `refs/heads/attractor/${refSafe(name)}`;
      expect(gitIn(directory, 'check-ref-format', '--print', ref), name).toBe(ref);
    }
  });
});
