import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectories } from '../../handlers/make-directories.js';
import { RunError } from '../../run-directory/run-error.js';
import { GitFailure, gitIn } from './git.js';
import { Remote } from './remote.js';
import { addDetached } from './work-tree.js';

/** Places of a run in a clone on this machine. */
export interface RunClone {
  /** Clone without files of its own, in which the run makes its work trees. */
  readonly repository: string;
  /** Files of the commit at which the run began. */
  readonly files: string;
}

/** Run whose commits are on a remote. */
interface PublishedRun {
  readonly runId: string;
  /** URL of the remote. */
  readonly remote: string;
  /** Commit at which the run began. */
  readonly base: string;
  /** Runs whose branches have the commits from before a fork; empty for any other run. */
  readonly historyOf: readonly string[];
}

/** Changes of each clone are made one after the other. */
const changes = new Map<string, Promise<unknown>>();

/**
 * Brings the commits of a run from its remote into a clone on this machine, which all runs of that remote share.
 * @param home directory of the clones
 * @throws RunError `storage`
 */
export async function cloneRun(home: string, run: PublishedRun): Promise<RunClone> {
  const { remote } = run;
  const name = createHash('sha256').update(remote).digest('hex').slice(0, 16);
  const directory = path.join(path.resolve(home), name);
  const change = (changes.get(directory) ?? Promise.resolve()).then(() => update(directory, run));
  changes.set(
    directory,
    change.catch(() => undefined),
  );
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new RunError(
      'storage',
      `the files of the run cannot be fetched from ${remote}: ${error.said || error.message}. Fix the cause, then resume the run`,
      { cause: error },
    );
  }
}

async function update(
  directory: string,
  { remote: url, base, runId, historyOf }: PublishedRun,
): Promise<RunClone> {
  const repository = path.join(directory, 'repository.git');
  makeDirectories(repository);
  hide(directory);
  const git = gitIn(repository);
  await git.run(['init', '--quiet', '--bare', repository]);
  const remote = new Remote(git, url);
  if (historyOf.length === 0) await remote.fetch(runId);
  else await remote.fetchFork(runId, historyOf);
  await remote.fetchCommit(base);
  const files = path.join(directory, 'bases', base);
  await addDetached(git, files, base);
  return { repository, files };
}

/** Keeps clones out of a repository in which the directory of the runs is. */
function hide(directory: string): void {
  const file = path.join(directory, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}
