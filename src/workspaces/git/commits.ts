import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Git, GitFailure } from './git.js';

/** Author of the commits of a run, if git has none configured. */
const nobody = { name: 'attractor', email: 'attractor@localhost' };

/** Author variables for commits, for what neither the environment nor the settings of git define. */
export async function authorSettings(git: Git): Promise<Readonly<Record<string, string>>> {
  const setting = async (key: string): Promise<string> =>
    (await git.run(['config', '--get', key], { expected: [1] })).output.trim();
  const [name, email] = await Promise.all([setting('user.name'), setting('user.email')]);
  const environment: Record<string, string> = {};
  for (const who of ['AUTHOR', 'COMMITTER']) {
    const given = { name: process.env[`GIT_${who}_NAME`], email: process.env[`GIT_${who}_EMAIL`] };
    const isKnown = (given.name || name) && (given.email || email);
    environment[`GIT_${who}_NAME`] = given.name || name || nobody.name;
    environment[`GIT_${who}_EMAIL`] = given.email || (isKnown ? email : email || nobody.email);
  }
  return environment;
}

/**
 * Creates a commit that is on no branch.
 * @param parents the first one is the commit that it continues
 */
export async function makeCommit(
  git: Git,
  commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
  author: Readonly<Record<string, string>>,
): Promise<string> {
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  const { output } = await git.run(['commit-tree', ...parents, '-F', '-', commit.tree], {
    input: commit.message,
    environment: author,
  });
  return output.trim();
}

/** Tree of the files of a work tree as they are now, without ignored ones. */
export async function treeOfFiles(git: Git): Promise<string> {
  await addAll(git);
  return git.text('write-tree');
}

const lockPatience = { times: 20, milliseconds: 100 };

/**
 * Adds all files. A git that was killed with its stage has left its lock on the index: a live process gets
 * some time, then the lock is removed.
 */
async function addAll(git: Git, waited = 0): Promise<void> {
  try {
    await git.run(['add', '--all']);
  } catch (error) {
    const isLocked = error instanceof GitFailure && /index\.lock': File exists/.test(error.said);
    if (!isLocked || waited > lockPatience.times) throw error;
    await sleep(lockPatience.milliseconds);
    if (waited === lockPatience.times)
      rmSync(await git.text('rev-parse', '--path-format=absolute', '--git-path', 'index.lock'), {
        force: true,
      });
    await addAll(git, waited + 1);
  }
}

/** Directories that have become repositories: git keeps only their commits. */
export async function newRepositories(git: Git, before: string, tree: string): Promise<readonly string[]> {
  const { output } = await git.run(['diff-tree', '-r', '-z', '--no-renames', before, tree]);
  const parts = output.split('\0');
  return parts.flatMap((part, index) => {
    const isNew = /^:(?!160000)\d{6} 160000 /.test(part);
    return isNew ? [parts[index + 1] ?? ''] : [];
  });
}

/** Result of merging two commits. */
export type Merge =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

/** Merges without a work tree, so that a conflict leaves nothing half done. */
export async function mergeTrees(git: Git, ours: string, theirs: string): Promise<Merge> {
  const { status, output } = await git.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
    { expected: [1] },
  );
  const [tree = '', ...files] = output.split('\0').filter((part) => part !== '');
  return status === 0 ? { kind: 'clean', tree } : { kind: 'conflict', files };
}

/** True if a commit is in the history of another one, or is the same. */
export function isIn(git: Git, commit: string, history: string): Promise<boolean> {
  return git.asks('merge-base', '--is-ancestor', commit, history);
}

/** Commit of a name; undefined if not found. */
export async function commitNamed(git: Git, name: string): Promise<string | undefined> {
  const answer = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    expected: [1, 128],
  });
  return answer.status === 0 ? answer.output.trim() : undefined;
}

/**
 * Keeps a commit under an unused name, so that it is not lost.
 * @returns the whole name
 */
export async function keepAside(git: Git, commit: string, name: string): Promise<string> {
  const nothing = '0'.repeat(commit.length);
  for (let number = 1; ; number += 1) {
    const ref = number === 1 ? name : `${name}.${number}`;
    const there = await commitNamed(git, ref);
    if (there === commit) return ref;
    if (there !== undefined) continue;
    await git.run(['update-ref', ref, commit, nothing]);
    return ref;
  }
}
