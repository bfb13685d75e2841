import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesHere } from '../../../../src/cluster/files-here.js';
import { prepareSubmission } from '../../../../src/cluster/prepare-submission.js';
import { compile } from '../../../../src/compiler/compile.js';
import { fork } from '../../../../src/run/recording/fork.js';
import { pipeline, resumePipeline, testEach } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { branchOf, runIn, working } from './git-run.js';
import { emptyRepository, gitIn, type Repository, repositoryWith } from './repository.js';

const line = pipeline('graph [git_remote=origin]', 'one', 'two', 'start -> one -> two -> exit');
const fan = pipeline(
  'graph [git_remote=origin]',
  'p [shape=component]',
  'one',
  'two',
  'join',
  'start -> p',
  'p -> one -> join',
  'p -> two -> join',
  'join -> exit',
);

const noting = working({
  one: (files) => files.write('one', '1'),
  two: (files) => files.write('two', '2'),
});

/** A repository, and a bare one that is its remote `origin`. */
function published(): { repository: Repository; remote: Repository } {
  const repository = repositoryWith({ readme: 'Hi' });
  const remote = emptyRepository('--bare');
  repository.git('remote', 'add', 'origin', remote.directory);
  return { repository, remote };
}

/** What is left of a run on a machine that has only its journal. */
function movedAway(directory: string): string {
  const elsewhere = path.join(temporaryDirectory(), 'run');
  for (const name of ['events.jsonl', 'manifest.json', 'pipeline.dot'])
    cpSync(path.join(directory, name), path.join(elsewhere, name));
  return elsewhere;
}

/** @param at node to fork at; undefined for the end of the run */
async function forkedAt(directory: string, at?: string): Promise<string> {
  const made = await fork(directory, at === undefined ? {} : { at });
  if (made.status !== 'forked') throw new Error('the pipeline is not valid');
  return made.run_dir;
}

describe('143: a run with git_remote', () => {
  testEach(
    [
      { name: 'of a line', dot: line },
      { name: 'with branches that meet', dot: fan },
    ],
    async ({ dot }) => {
      const { repository, remote } = published();
      const { result } = await runIn(repository, dot, { handlers: noting });
      expect(result.status).toBe('success');
      const branch = branchOf(result);
      expect(remote.filesAt(branch)).toMatchObject({ readme: 'Hi', one: '1', two: '2' });
      expect(remote.git('rev-parse', branch)).toBe(repository.git('rev-parse', branch));
    },
  );

  test('has a commit there before the next stage begins', async () => {
    const { repository, remote } = published();
    let seen: unknown;
    const handlers = working({
      one: (files) => files.write('one', '1'),
      two: (_, { runId }) => {
        seen = remote.filesAt(branchOf({ run_id: runId }));
      },
    });
    await runIn(repository, line, { handlers });
    expect(seen).toEqual({ readme: 'Hi', one: '1' });
  });

  test('goes on in a clone of its own where the repository is not', async () => {
    const { repository, remote } = published();
    const failing = working({
      one: (files) => files.write('one', '1'),
      two: () => ({ status: 'fail', failure_reason: 'red' }),
    });
    const first = await runIn(repository, line, { handlers: failing });
    expect(first.result.status).toBe('fail');
    const elsewhere = movedAway(first.directory);
    rmSync(repository.directory, { recursive: true });

    const manifest = await filesHere(elsewhere);
    expect(manifest.git?.repository.startsWith(path.join(path.dirname(elsewhere), '.clones'))).toBe(true);
    const { result } = await resumePipeline(elsewhere, { handlers: noting });
    expect(result.status).toBe('success');
    expect(remote.filesAt(branchOf(result))).toMatchObject({ readme: 'Hi', one: '1', two: '2' });
  });

  testEach(
    [
      { name: 'as a fork of a run', forks: 1, dot: line },
      { name: 'as a fork of a run within one of its branches', forks: 1, dot: fan },
      { name: 'as a fork of a fork that has no branch yet', forks: 2, dot: line },
    ],
    async ({ forks, dot }) => {
      const { repository, remote } = published();
      const failing = working({
        one: (files) => files.write('one', '1'),
        two: () => ({ status: 'fail', failure_reason: 'red' }),
      });
      const first = await runIn(repository, dot, { handlers: failing });
      let directory = await forkedAt(first.directory, 'two');
      for (let made = 1; made < forks; made += 1) directory = await forkedAt(directory);
      const elsewhere = movedAway(directory);
      rmSync(repository.directory, { recursive: true });

      const { git } = await filesHere(elsewhere);
      if (git === undefined) throw new Error('the run has no files');
      // A server may hand out only what a ref names.
      const branch = branchOf(first.result);
      const commits = remote.git('rev-parse', `--branches=${branch}*`).split('\n');
      const fetched = gitIn(git.repository, 'for-each-ref', '--format=%(objectname)').split('\n');
      expect(fetched).toEqual(expect.arrayContaining(commits));
      const { result } = await resumePipeline(elsewhere, { handlers: noting });
      expect(result.status).toBe('success');
      expect(remote.filesAt(branchOf(result))).toMatchObject({ readme: 'Hi', one: '1', two: '2' });
      expect((await filesHere(elsewhere)).git).toEqual(git);
    },
  );

  test('goes on as a fork that an earlier version has made', async () => {
    const { repository, remote } = published();
    const { directory } = await runIn(repository, line, { handlers: noting });
    const elsewhere = movedAway(await forkedAt(directory, 'two'));
    const file = path.join(elsewhere, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, git: { ...manifest.git, history_of: undefined } }));
    rmSync(repository.directory, { recursive: true });

    await filesHere(elsewhere);
    const { result } = await resumePipeline(elsewhere, { handlers: noting });
    expect(remote.filesAt(branchOf(result))).toMatchObject({ one: '1', two: '2' });
  });

  testEach(
    [
      {
        name: 'no remote of that name',
        named: 'upstream',
        message: /the remote "upstream".* does not answer/,
      },
      { name: 'a directory that is none', named: '/dev/null/site', message: /does not answer/ },
      {
        name: 'credentials',
        named: 'https://ann:secret@example.com/site.git',
        message: /contains credentials/,
      },
      { name: 'an option', named: '--upload-pack=touch', message: /begins with a hyphen/ },
    ],
    async ({ named, message }) => {
      const { repository } = published();
      const dot = line.replace('=origin', `="${named}"`);
      await expect(runIn(repository, dot, {})).rejects.toThrow(message);
    },
  );

  test('is not submitted to a cluster if the remote takes no branch of it', async () => {
    const { repository, remote } = published();
    remote.git('config', 'core.hooksPath', remote.directory);
    remote.write('pre-receive', '#!/bin/sh\necho closed >&2\nexit 1\n');
    chmodSync(path.join(remote.directory, 'pre-receive'), 0o755);
    const submission = prepareSubmission(compile(line), {
      git: true,
      workingDirectory: repository.directory,
      runDirectory: path.join(temporaryDirectory(), 'run'),
    });
    await expect(submission).rejects.toThrow(/cannot be pushed to .*closed.*Nothing was submitted/s);
  });
});
