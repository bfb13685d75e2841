import type { Cluster } from '../../cluster/dbos/cluster.js';
import type { Submission } from '../../cluster/durable-run.js';
import type { Compilation } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import type { CommonRunOptions, InvalidPipeline, RunOptions } from '../../run/run-options.js';
import type { RunResult } from '../../view/run-result.js';

/** Submits a run. @returns what was submitted, or the diagnostics of a pipeline that is not valid */
export async function submitRun(
  cluster: Cluster,
  compilation: Compilation,
  options: RunOptions,
): Promise<Submission | InvalidPipeline> {
  const { prepareSubmission } = await import('../../cluster/prepare-submission.js');
  const submission = await prepareSubmission(compilation, options);
  if (!('status' in submission)) await cluster.submit(submission);
  return submission;
}

/** Follows a submitted run, and leaves in a directory what its history says, so that every local command works on it. */
export async function followSubmitted(
  cluster: Cluster,
  runId: string,
  program: Program,
  directory: string,
  common: CommonRunOptions,
): Promise<RunResult> {
  const { followRun } = await import('../../cluster/follow-run.js');
  const { writeRunDirectory } = await import('../../cluster/run-cache.js');
  const { nodeFileSystem } = await import('../../run-directory/file-system.js');
  const { holdsRun } = await import('../../run-directory/run-files.js');
  const { resultOf } = await import('../../view/run-result.js');
  const run = await cluster.find(runId);
  if (run === undefined) throw new Error(`the run ${runId} is not in the database`);
  const state = await followRun(run, program, common);
  if (!holdsRun(directory)) writeRunDirectory(directory, run.history, nodeFileSystem);
  return resultOf(state, directory, Date.now());
}
