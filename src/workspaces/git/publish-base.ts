import { RunError } from '../../run-directory/run-error.js';
import { branchOfRun } from './branch-names.js';
import { GitFailure, gitIn } from './git.js';
import { Remote } from './remote.js';
import type { GitOrigin } from './repository.js';

/**
 * Makes the branch of a run on its remote, at the commit at which the run begins.
 * @throws RunError `usage` if the remote refuses it
 */
export async function publishBase(
  { repository, base, remote }: GitOrigin & { readonly remote: string },
  runId: string,
): Promise<void> {
  const branch = branchOfRun(runId);
  try {
    await new Remote(gitIn(repository), remote, []).push(base, `refs/heads/${branch}`);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new RunError(
      'usage',
      `the branch ${branch} cannot be pushed to ${remote}, which \`git_remote\` names: ${error.said || error.message}. Nothing was submitted`,
      { cause: error },
    );
  }
}
