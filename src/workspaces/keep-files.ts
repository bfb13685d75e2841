import { graphAttribute } from '../graph/attributes.js';
import type { Program } from '../graph/program.js';
import type { RunState } from '../machine/state.js';
import { historyOf, type Manifest } from '../run-directory/manifest.js';
import type { GitPlan } from './git/repository.js';
import type { RunClone } from './git/run-clone.js';
import type { Workspace } from './workspace.js';

/** Request for the files of a new run. */
export interface FilesRequest {
  readonly program: Program;
  /** Option of the call; undefined for the setting of the graph. */
  readonly git: boolean | undefined;
  /** True if nothing is executed, so that there are no files to keep. */
  readonly simulate: boolean;
  readonly workingDirectory: string;
  /** Run directory. */
  readonly directory: string;
}

/** True if a run that does real work keeps its files with git. */
export function wantsGit({ program, git }: Pick<FilesRequest, 'program' | 'git'>): boolean {
  return git ?? graphAttribute(program.graph, 'git');
}

/**
 * Origin of the files of a new run; undefined without git.
 * @throws RunError `usage` where git cannot keep them
 */
export async function planFiles(request: FilesRequest): Promise<GitPlan | undefined> {
  if (request.simulate || !wantsGit(request)) return undefined;
  const { planGit } = await import('./git/repository.js');
  const remote = graphAttribute(request.program.graph, 'git_remote');
  return planGit(request.workingDirectory, request.directory, remote);
}

/**
 * Pushes the commit at which a run begins, so that another machine can begin it.
 * @throws RunError `usage` if the remote refuses it
 */
export async function publishFiles(git: Manifest['git'], runId: string): Promise<void> {
  if (git?.remote === undefined) return;
  const { publishBase } = await import('./git/publish-base.js');
  await publishBase({ ...git, remote: git.remote }, runId);
}

/**
 * Brings what the remote of a run has into a clone on this machine; undefined if the run has no remote.
 * @param home directory of the clones
 * @throws RunError `storage` if the remote does not answer
 */
export async function cloneFiles(
  manifest: Pick<Manifest, 'git' | 'run_id' | 'forked_from'>,
  home: string,
): Promise<RunClone | undefined> {
  const { git, run_id: runId } = manifest;
  if (git?.remote === undefined) return undefined;
  const { cloneRun } = await import('./git/run-clone.js');
  const { remote, base } = git;
  return cloneRun(home, { remote, base, runId, historyOf: historyOf(manifest) });
}

/** Workspace that keeps the files of a run; undefined without git. */
export async function openWorkspace(run: {
  readonly program: Program;
  readonly directory: string;
  readonly runId: string;
  readonly git: Manifest['git'];
  readonly simulate: boolean;
}): Promise<Workspace | undefined> {
  const { git: origin, simulate, ...others } = run;
  if (origin === undefined || simulate) return undefined;
  const { GitWorkspace } = await import('./git/git-workspace.js');
  return new GitWorkspace({ ...others, origin });
}

/** Creates the branches of a forked run at the commits of its state, so that git does not lose them. */
export async function keepBranches(git: Manifest['git'], state: RunState, directory: string): Promise<void> {
  if (git === undefined) return;
  const { createBranches } = await import('./git/create-branches.js');
  const { hideFromGit } = await import('./git/repository.js');
  await createBranches(git.repository, state);
  hideFromGit(directory, git.repository);
}
