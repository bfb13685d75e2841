import type { BranchFiles } from '../../machine/files.js';
import { failure } from '../../machine/outcome.js';
import type { Prepared, WorkspaceStage } from '../workspace.js';
import { branchOfLine } from './branch-names.js';
import { commitMessage } from './commit-message.js';
import { commitNamed, isIn, makeCommit, mergeTrees } from './commits.js';
import { type Git, gitOfWorkTree } from './git.js';
import type { WorkTree, WorkTreeOptions } from './work-tree.js';

/** Stage at which branches meet. */
export interface MergeTarget {
  readonly runId: string;
  readonly stage: WorkspaceStage;
  readonly workTree: WorkTree;
}

const shownFiles = 20;

/**
 * Merges the files of branches, one after the other in the order of the edges: by a fast-forward if nothing
 * else has changed, else by a merge. A conflict changes nothing, and the stage at which they meet fails.
 */
export async function mergeBranches(
  { author }: WorkTreeOptions,
  place: MergeTarget,
  start: string,
  branches: readonly BranchFiles[],
): Promise<Prepared> {
  const { runId, stage, workTree } = place;
  const git = gitOfWorkTree(workTree.directory);
  let commit = start;
  for (const branch of branches) {
    const theirs = await tipOf(git, runId, branch);
    if (await isIn(git, theirs, commit)) continue;
    if (await isIn(git, commit, theirs)) {
      commit = theirs;
      continue;
    }
    const merge = await mergeTrees(git, commit, theirs);
    if (merge.kind === 'conflict') return conflict(place, branches, branch, merge.files);
    const message = commitMessage({ runId, stage, text: `merge the branch ${branch.files.line}` });
    commit = await makeCommit(git, { tree: merge.tree, parents: [commit, theirs], message }, author);
  }
  if (commit !== start) await git.run(['reset', '--quiet', '--hard', commit]);
  return { kind: 'ready', commit };
}

/** Latest commit of a branch: a person may have added commits, for example to solve a conflict by hand. */
async function tipOf(git: Git, runId: string, { files }: BranchFiles): Promise<string> {
  const tip = await commitNamed(git, `refs/heads/${branchOfLine(runId, files.line)}`);
  return tip !== undefined && (await isIn(git, files.commit, tip)) ? tip : files.commit;
}

function conflict(
  { runId, stage }: MergeTarget,
  branches: readonly BranchFiles[],
  { files: { line } }: BranchFiles,
  files: readonly string[],
): Prepared {
  const nameOf = (of: string): string => branchOfLine(runId, of);
  const before = branches.slice(
    0,
    branches.findIndex((branch) => branch.files.line === line),
  );
  const others = before.map((branch) => nameOf(branch.files.line)).join(', ') || 'earlier changes';
  const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : '';
  const shown = `${files.slice(0, shownFiles).join(', ')}${more}`;
  const reason = `merge conflict at "${stage.node.id}": ${nameOf(line)} and ${others} both changed ${shown}. Merge them on ${nameOf(line)} and resume the run, or use a fan-in that chooses one of them`;
  return { kind: 'conflict', outcome: failure(reason, { retryable: false, failure_category: 'terminal' }) };
}
