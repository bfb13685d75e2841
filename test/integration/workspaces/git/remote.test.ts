import { chmodSync, cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesHere } from '../../../../src/cluster/files-here.js';
import { prepareSubmission } from '../../../../src/cluster/prepare-submission.js';
import { compile } from '../../../../src/compiler/compile.js';
import { pipeline, resumePipeline, testEach } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { branchOf, runIn, working } from './git-run.js';
import { emptyRepository, type Repository, repositoryWith } from './repository.js';

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
    const home = temporaryDirectory();
    const elsewhere = path.join(home, 'run');
    for (const name of ['events.jsonl', 'manifest.json', 'pipeline.dot'])
      cpSync(path.join(first.directory, name), path.join(elsewhere, name));
    rmSync(repository.directory, { recursive: true });

    const manifest = await filesHere(elsewhere);
    expect(manifest.git?.repository.startsWith(path.join(home, '.clones'))).toBe(true);
    const { result } = await resumePipeline(elsewhere, { handlers: noting });
    expect(result.status).toBe('success');
    expect(remote.filesAt(branchOf(result))).toMatchObject({ readme: 'Hi', one: '1', two: '2' });
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
