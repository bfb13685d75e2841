import { allBranches, branchesToMerge, type Files } from '../../machine/files.js';
import type { Cursor, RunState } from '../../machine/state.js';
import { RunError } from '../../run-directory/run-error.js';
import { branchOfLine } from './branch-names.js';
import { commitNamed } from './commits.js';
import { gitIn } from './git.js';

/**
 * Creates the branches of a run at the commits of its state: the main line, every branch that continues, and
 * those that have ended and are still to be merged, which people merge by hand after a conflict.
 * @throws RunError `run_damaged` where git has lost a commit
 */
export async function createBranches(repository: string, state: RunState): Promise<void> {
  const git = gitIn(repository);
  for (const { line, commit } of [...state.cursors.values()].flatMap(filesOf)) {
    if ((await commitNamed(git, commit)) === undefined) {
      const what = `the commit ${commit} of the run is no longer in ${repository}`;
      throw new RunError(
        'run_damaged',
        `${what}. Fetch it from a copy of the repository, or fork at a later step`,
      );
    }
    await git.run(['update-ref', '-m', 'attractor', `refs/heads/${branchOfLine(state.runId, line)}`, commit]);
  }
}

/** Files of a cursor, and of the branches that it waits for or has yet to merge. */
function filesOf({ files, fork, failedFork }: Cursor): readonly Files[] {
  if (files === undefined) return [];
  const ended = [fork, failedFork?.fork].flatMap((one) => (one === undefined ? [] : branchesToMerge(one)));
  return [files, ...allBranches([...files.unmerged, ...ended]).map((branch) => branch.files)];
}
