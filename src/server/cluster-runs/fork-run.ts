import { prepareFork } from '../../cluster/fork-run.js';
import { withHandlerTypes } from '../../graph/with-handler-types.js';
import { systemClock } from '../../run/driver/clock.js';
import { newRunId } from '../../run/run-id.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import type { AcceptedRun, ForkRequest } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { withProblems } from '../runs/problem-of.js';
import { answered } from './answered.js';
import { checkContinuation } from './check-continuation.js';
import type { ClusterParts } from './cluster-parts.js';
import { isQueued } from './look-at-runs.js';
import { letContinue } from './resume-run.js';
import { accepted } from './steer-runs.js';
import { submitPrepared } from './submit-run.js';

/**
 * Submits a run that shares the beginning of another one, and lets it continue where that is wanted (§9.5). It works in the directory of
 * the other run, which this machine may not have.
 * @throws ProblemError
 */
export async function forkRun(
  parts: ClusterParts,
  id: string,
  { at, step, resume }: ForkRequest,
): Promise<AcceptedRun> {
  if (isQueued(parts, id)) throw new ProblemError('conflict', 'the run cannot be forked: it never started');
  const { directory, program, extensions } = await checkContinuation(parts, id, {});
  const { clock = systemClock } = parts.environment;
  const runId = newRunId(program.graph.name, clock);
  const { run } = parts.mirrors.of(id);
  const { handlerTypes } = compileOptionsOf(extensions);
  const request = { program: withHandlerTypes(program, handlerTypes), at, step, runId, clock, directory };
  const { submission } = await withProblems(() => answered(prepareFork(run, request)));
  await submitPrepared(parts, submission);
  await parts.mirrors.open(runId);
  return resume ? letContinue(parts, runId, {}) : accepted(parts, runId);
}
