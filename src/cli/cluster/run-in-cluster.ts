import { hostname } from 'node:os';
import type { Cluster } from '../../cluster/cluster.js';
import type { Submission } from '../../cluster/durable-run.js';
import type { Compilation, CompileOptions } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import type { CommonRunOptions, InvalidPipeline, RunOptions } from '../../run/run-options.js';
import type { RunResult } from '../../view/run-result.js';

/** Submits a run. @returns what was submitted, or the diagnostics of a pipeline that is not valid */
export async function submitRun(
  cluster: Cluster,
  compilation: Compilation,
  options: RunOptions,
  priority?: number,
): Promise<Submission | InvalidPipeline> {
  const { prepareSubmission } = await import('../../cluster/prepare-submission.js');
  const submission = await prepareSubmission(compilation, options);
  if ('status' in submission) return submission;
  await submitPrepared(cluster, submission, options, priority);
  return submission;
}

/** Submits a run, and says what it waits for, and what it should say about its files. */
export async function submitPrepared(
  cluster: Cluster,
  submission: Submission,
  { onNotice }: Pick<RunOptions, 'onNotice'>,
  priority?: number,
): Promise<void> {
  const { awaitedWorker, filesAdvice } = await import('../../cluster/placement.js');
  await cluster.submit(submission, priority);
  const workers = await cluster.workers();
  const missing = awaitedWorker(submission.placement, workers);
  if (missing !== undefined) onNotice?.(`the run waits for ${missing}; none is at work now`);
  const advice = filesAdvice(submission.files, workers, hostname());
  if (advice !== undefined) onNotice?.(advice);
}

function compileOptionsOf({
  handlers,
  transforms,
  rules,
  ruleSettings,
  properties,
}: CommonRunOptions): CompileOptions {
  return { handlerTypes: handlers?.types, transforms, rules, ruleSettings, properties };
}

/** Follows a submitted run, and leaves its run directory, on which every local command works. */
export async function followSubmitted(
  cluster: Cluster,
  runId: string,
  program: Program,
  directory: string,
  common: CommonRunOptions,
): Promise<RunResult> {
  const { followRun, resultOfFollowed } = await import('../../cluster/follow-run.js');
  const { pullRun } = await import('../../cluster/pull-run.js');
  const { RunError } = await import('../../run-directory/run-error.js');
  const run = await cluster.find(runId);
  if (run === undefined) throw new Error(`the run ${runId} is not in the database`);
  const state = await followRun(run, program, common);
  try {
    for (const { path, reason } of await pullRun(run, directory, {
      compileOptions: compileOptionsOf(common),
    }))
      common.onNotice?.(`${path} is missing in the run directory: ${reason}`);
  } catch (error) {
    // A worker on this machine has it there.
    if (!(error instanceof RunError) || error.code !== 'run_locked') throw error;
  }
  return resultOfFollowed(run, state, directory);
}
