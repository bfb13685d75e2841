import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { RunError } from '../../run-directory/run-error.js';
import { commitNamed, isIn, keepAside, makeCommit, treeOfFiles } from './commits.js';
import { type Git, GitFailure, gitOfWorkTree } from './git.js';

/** Checkout of a run, on a branch that no other checkout uses. */
export interface WorkTree {
  readonly directory: string;
  readonly branch: string;
}

/** Values shared by the work trees of a run. */
export interface WorkTreeOptions {
  /** Git in the checkout in which the run was started. */
  readonly repository: Git;
  readonly author: Readonly<Record<string, string>>;
}

/** Ref for files that would be lost, and the message of their commit. */
export interface Aside {
  /** Below `refs/`. */
  readonly ref: string;
  readonly message: string;
  /** @param where the files are kept now, as the end of a sentence */
  readonly onKept: (where: string) => void;
}

/**
 * Checks a work tree out at a commit, with exactly its files and ignored ones. Anything else in it, or on
 * its branch, is kept aside first.
 */
export async function checkOutAt(
  options: WorkTreeOptions,
  workTree: WorkTree,
  commit: string,
  aside: Aside,
): Promise<void> {
  await checkCommit(options, commit);
  if (!(await prepareWorkTree(options, workTree, aside)))
    return addWorkTree(options, workTree, commit, aside);
  const git = gitOfWorkTree(workTree.directory);
  try {
    await saveUnkept(options, workTree, commit, aside);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.said === '') throw error;
    // Files that git cannot commit, such as a repository without commits, must not keep the run from
    // continuing.
    putAside(workTree, aside);
    return addWorkTree(options, workTree, commit, aside);
  }
  await pointHead(git, workTree.branch);
  await git.run(['reset', '--quiet', '--hard', commit]);
  await git.run(['clean', '--quiet', '-ffd']);
}

/**
 * Checks that a commit still exists: if the branches of an old run are removed, git may delete their
 * commits.
 * @throws RunError `run_damaged`
 */
async function checkCommit({ repository }: WorkTreeOptions, commit: string): Promise<void> {
  if ((await commitNamed(repository, commit)) !== undefined) return;
  throw new RunError(
    'run_damaged',
    `the commit ${commit} of the run is no longer in the repository. Fetch it from a copy of the repository, or start a new run`,
  );
}

/** Points HEAD at the branch, even if a stage has changed to another one. */
export async function pointHead(git: Git, branch: string): Promise<void> {
  await git.run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

/**
 * Puts aside anything that is not a work tree of this repository.
 * @returns true if the directory is one
 */
async function prepareWorkTree(options: WorkTreeOptions, workTree: WorkTree, aside: Aside): Promise<boolean> {
  const { directory } = workTree;
  if (!existsSync(directory)) return false;
  if (await isStillWorkTree(options, workTree)) {
    // The run directory may have been moved.
    await repair(options.repository, directory);
    return true;
  }
  putAside(workTree, aside);
  return false;
}

/** Renames a directory that is not a work tree, or that git cannot commit, to keep it as it is. */
function putAside({ directory }: WorkTree, aside: Aside): void {
  for (let number = 1; ; number += 1) {
    const free = `${directory}~${number}`;
    if (existsSync(free)) continue;
    renameSync(directory, free);
    // Its `.git` file names the registration that the new work tree will use.
    if (statSync(path.join(free, '.git'), { throwIfNoEntry: false })?.isFile())
      rmSync(path.join(free, '.git'));
    return aside.onKept(`it is in ${free}`);
  }
}

/** Other work trees of the repository may be past repair. */
async function repair(repository: Git, ...directories: readonly string[]): Promise<void> {
  await repository.run(['worktree', 'repair', ...directories], { expected: [1] });
}

/** True if a directory is a work tree of this repository: a stage may have removed or replaced it. */
export async function isStillWorkTree(
  { repository }: WorkTreeOptions,
  { directory }: WorkTree,
): Promise<boolean> {
  if (existsSync(directory) && !existsSync(path.join(directory, '.git'))) await repair(repository);
  return isWorkTreeOf(repository, directory);
}

async function isWorkTreeOf(repository: Git, directory: string): Promise<boolean> {
  if (!existsSync(path.join(directory, '.git'))) return false;
  const whereGitIs = (git: Git): Promise<string> =>
    git.text('rev-parse', '--path-format=absolute', '--git-common-dir', '--git-dir');
  try {
    const [ours = '', theirs = ''] = await Promise.all([
      whereGitIs(repository),
      whereGitIs(gitOfWorkTree(directory)),
    ]);
    const [common, own] = theirs.split('\n');
    return ours.split('\n')[0] === common && own !== common;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.said === '') throw error;
    return false;
  }
}

async function addWorkTree(
  { repository }: WorkTreeOptions,
  { directory, branch }: WorkTree,
  commit: string,
  aside: Aside,
): Promise<void> {
  const tip = await commitNamed(repository, `refs/heads/${branch}`);
  if (tip !== undefined) {
    await checkNotElsewhere(repository, branch, directory);
    if (!(await isIn(repository, tip, commit)))
      aside.onKept(`git keeps it as ${await keepAside(repository, tip, aside.ref)}`);
  }
  await repository.run(['update-ref', '-m', 'attractor', `refs/heads/${branch}`, commit]);
  // Forced twice, because an interrupted creation leaves it locked.
  await repository.run(['worktree', 'add', '-f', '-f', '--quiet', directory, branch]);
}

/** Checks a commit out on no branch, unless it is there already. */
export async function addDetached(repository: Git, directory: string, commit: string): Promise<void> {
  if (await isWorkTreeOf(repository, directory)) return;
  await repository.run(['worktree', 'add', '-f', '-f', '--quiet', '--detach', directory, commit]);
}

/**
 * Refuses a branch that is checked out elsewhere, because it must not move there.
 * @throws RunError `usage`
 */
async function checkNotElsewhere(repository: Git, branch: string, directory: string): Promise<void> {
  const { output } = await repository.run(['worktree', 'list', '--porcelain', '-z']);
  for (const block of output.split('\0\0')) {
    const lines = block.split('\0');
    const place = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length) ?? '';
    const isHere = path.resolve(place) === path.resolve(directory) || !existsSync(place);
    if (isHere || !lines.includes(`branch refs/heads/${branch}`)) continue;
    throw new RunError(
      'usage',
      `the branch ${branch} of the run is checked out in ${place}. Change to another branch there, and resume the run`,
    );
  }
}

/** Keeps aside files of the work tree, and commits of its branch, that are not in the history of a commit. */
async function saveUnkept(
  { repository, author }: WorkTreeOptions,
  { directory, branch }: WorkTree,
  commit: string,
  aside: Aside,
): Promise<void> {
  const git = gitOfWorkTree(directory);
  const head = await commitNamed(git, 'HEAD');
  const tree = await treeOfFiles(git);
  const isClean = head !== undefined && tree === (await git.text('rev-parse', `${head}^{tree}`));
  const parents = head === undefined ? [] : [head];
  const files = isClean ? head : await makeCommit(git, { tree, parents, message: aside.message }, author);
  const tip = await commitNamed(repository, `refs/heads/${branch}`);
  for (const left of new Set([files, tip])) {
    if (left !== undefined && !(await isIn(repository, left, commit)))
      aside.onKept(`git keeps it as ${await keepAside(repository, left, aside.ref)}`);
  }
}

/** Removes a work tree; its branch stays, and files that are not on it are kept aside. */
export async function removeWorkTree(
  options: WorkTreeOptions,
  workTree: WorkTree,
  aside: Aside,
): Promise<void> {
  const { repository } = options;
  if (!(await isWorkTreeOf(repository, workTree.directory))) return;
  const tip = await commitNamed(repository, `refs/heads/${workTree.branch}`);
  const head = await commitNamed(gitOfWorkTree(workTree.directory), 'HEAD');
  const kept = tip ?? head;
  if (kept !== undefined) await saveUnkept(options, workTree, kept, aside);
  await repository.run(['worktree', 'remove', '--force', '--force', workTree.directory]);
}
