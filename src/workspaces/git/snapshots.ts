import { existsSync } from 'node:fs';
import { commitNamed, makeCommit, newRepositories, treeOfFiles } from './commits.js';
import { GitFailure, gitOfWorkTree } from './git.js';
import { type Aside, checkOutAt, isStillWorkTree, type WorkTree, type WorkTreeOptions } from './work-tree.js';

/** Files of a stage in the middle of its work, kept outside of its branch (SEMANTICS 123). */
export interface Snapshot {
  /** Its parent is the commit on which the stage was at work. */
  readonly commit: string;
  readonly tree: string;
  readonly head: string;
}

/**
 * Commits the files of a work tree as they are, and names the commit.
 * @param before an earlier one, which is used again if nothing has changed
 * @returns undefined if git cannot commit all of them, or there is no work tree any more
 */
export async function makeSnapshot(
  options: WorkTreeOptions,
  { directory }: WorkTree,
  ref: string,
  message: string,
  before: Snapshot | undefined,
): Promise<Snapshot | undefined> {
  if (!(await isStillWorkTree(options, { directory, branch: '' }))) return undefined;
  const git = gitOfWorkTree(directory);
  try {
    const tree = await treeOfFiles(git);
    const head = await git.text('rev-parse', '--verify', 'HEAD');
    if (before?.tree === tree && before.head === head) return before;
    // Of a repository within the work tree, git keeps only the name of a commit.
    if ((await newRepositories(git, head, tree)).length > 0) return undefined;
    const commit = await makeCommit(git, { tree, parents: [head], message }, options.author);
    await git.run(['update-ref', ref, commit]);
    return { commit, tree, head };
  } catch (error) {
    if (error instanceof GitFailure && error.said !== '') return undefined;
    throw error;
  }
}

/**
 * Restores the files of a work tree, with HEAD at the commit on which the stage was at work. Anything else in it is kept aside first.
 * @returns undefined if the commit no longer exists
 */
export async function restoreSnapshot(
  options: WorkTreeOptions,
  workTree: WorkTree,
  commit: string,
  aside: Aside,
): Promise<Snapshot | undefined> {
  const { repository } = options;
  if ((await commitNamed(repository, `${commit}^`)) === undefined) return undefined;
  const head = await repository.text('rev-parse', `${commit}^`);
  const tree = await repository.text('rev-parse', `${commit}^{tree}`);
  if (await isAt(options, workTree, head, tree)) return { commit, tree, head };
  await checkOutAt(options, workTree, head, aside);
  await gitOfWorkTree(workTree.directory).run(['read-tree', '--reset', '-u', commit]);
  return { commit, tree, head };
}

async function isAt(
  options: WorkTreeOptions,
  { directory, branch }: WorkTree,
  head: string,
  tree: string,
): Promise<boolean> {
  if (!existsSync(directory) || !(await isStillWorkTree(options, { directory, branch }))) return false;
  const git = gitOfWorkTree(directory);
  try {
    const current = await git.text('rev-parse', '--verify', 'HEAD');
    return current === head && (await treeOfFiles(git)) === tree;
  } catch (error) {
    if (error instanceof GitFailure && error.said !== '') return false;
    throw error;
  }
}
