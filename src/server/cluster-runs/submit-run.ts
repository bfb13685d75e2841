import { hostname } from 'node:os';
import path from 'node:path';
import type { Submission as PreparedSubmission } from '../../cluster/durable-run.js';
import { awaitedWorker, filesAdvice } from '../../cluster/placement.js';
import { prepareSubmission } from '../../cluster/prepare-submission.js';
import type { Program } from '../../graph/program.js';
import { initialState } from '../../machine/state.js';
import { boundedSteps } from '../../run/bounds.js';
import { usualBudgetUsd } from '../../run/default-budget.js';
import { systemClock } from '../../run/driver/clock.js';
import { newRunId } from '../../run/run-id.js';
import type { RunOptions } from '../../run/run-options.js';
import type { AcceptedRun, Submission } from '../api/run.js';
import { diagnosticsJson } from '../diagnostics-json.js';
import { invalidPipeline } from '../judging/invalid-pipeline.js';
import { withProblems } from '../runs/problem-of.js';
import { readySubmission } from '../runs/ready-submission.js';
import type { ServerBounds } from '../server-options.js';
import { answered } from './answered.js';
import { boundedAmount } from './bounded-budget.js';
import type { ClusterParts } from './cluster-parts.js';

/**
 * Submits a pipeline to the cluster, after the checks of a server, except those of what the workers have.
 * @throws ProblemError
 */
export async function submitRun(parts: ClusterParts, given: Submission): Promise<AcceptedRun> {
  const { environment } = parts;
  const { options, clock = systemClock, log } = environment;
  const ready = await readySubmission(given, environment, true);
  const id = newRunId(ready.name, clock);
  const settings = ready.settings({ id, directory: path.join(options.home, id) });
  return withProblems(async () => {
    const submission = await prepareSubmission(ready.compilation, {
      ...bounded(settings, ready.program, options.bounds),
      clock,
      variables: ready.keys.variables,
      secrets: ready.keys.redactor,
    });
    if ('status' in submission) {
      const { diagnostics } = submission;
      throw invalidPipeline(diagnosticsJson(diagnostics, ready.compilation.source), diagnostics.length);
    }
    for (const remark of ready.notices) log.write('warning', remark, { run: id });
    await submitPrepared(parts, submission);
    return { id, status: 'queued' };
  });
}

/** Submits a run, and logs what it waits for and what it should say about its files. @throws ProblemError `unavailable` */
export async function submitPrepared(
  { environment: { log }, cluster, list }: ClusterParts,
  submission: PreparedSubmission,
): Promise<void> {
  const { runId, placement, files } = submission;
  await answered(cluster.submit(submission));
  list.forget();
  const workers = await answered(cluster.workers());
  const missing = awaitedWorker(placement, workers);
  if (missing !== undefined)
    log.write('warning', `the run waits for ${missing}; none is at work now`, { run: runId });
  const advice = filesAdvice(files, workers, hostname());
  if (advice !== undefined) log.write('warning', advice, { run: runId });
}

/** Settings within the bounds of the server, which its workers do not know: those that a run records. */
function bounded(settings: RunOptions, program: Program, bounds: ServerBounds): RunOptions {
  const { maxSteps, budgetUsd, defaultBudgetUsd = usualBudgetUsd } = settings;
  const said = budgetUsd ?? program.limits.budgetUsd;
  return {
    ...settings,
    maxSteps: boundedSteps(maxSteps, program, initialState, bounds),
    budgetUsd: said === undefined ? undefined : boundedAmount(said, bounds),
    defaultBudgetUsd: boundedAmount(defaultBudgetUsd, bounds),
  };
}
