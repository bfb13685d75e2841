import type { RunState } from '../../machine/state.js';
import { RunError } from '../../run-directory/run-error.js';
import { branchOfLine } from './branch-names.js';
import { commitNamed } from './commits.js';
import { gitIn } from './git.js';

/**
 * Creates the branches of a run at the commits of its state: the main line, and every branch that
 * continues.
 * @throws RunError `run_damaged` where git has lost a commit
 */
export async function createBranches(repository: string, state: RunState): Promise<void> {
  const git = gitIn(repository);
  for (const { files } of state.cursors.values()) {
    if (files === undefined) continue;
    if ((await commitNamed(git, files.commit)) === undefined) {
      const what = `the commit ${files.commit} of the run is no longer in ${repository}`;
      throw new RunError(
        'run_damaged',
        `${what}. Fetch it from a copy of the repository, or fork at a later step`,
      );
    }
    await git.run([
      'update-ref',
      '-m',
      'attractor',
      `refs/heads/${branchOfLine(state.runId, files.line)}`,
      files.commit,
    ]);
  }
}
