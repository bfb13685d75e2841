import path from 'node:path';
import { deliver } from '../../cluster/deliver.js';
import { readJournal } from '../../journal/journal.js';
import { boundedSteps } from '../../run/bounds.js';
import { foldJournal } from '../../run/recorded-session.js';
import { optionsOfBody } from '../../run-directory/recorded-settings.js';
import { runFiles } from '../../run-directory/run-files.js';
import { dataOfSettings, type SettingsData, settingsOfData } from '../../run-directory/settings-data.js';
import type { AcceptedRun, Resumption } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { withProblems } from '../runs/problem-of.js';
import { cannotContinue, isResumable } from '../runs/start-runs.js';
import { atMost, patienceMs } from '../runs/steer-runs.js';
import { budgetWithin } from './bounded-budget.js';
import { checkContinuation } from './check-continuation.js';
import type { ClusterParts } from './cluster-parts.js';
import { readDetail } from './look-at-runs.js';
import { accepted } from './steer-runs.js';

/**
 * Lets a run continue on a worker (§5.3), one that has ended too. What only waits continues as it is; what is changed or begins again is
 * checked as a submission is.
 * @throws ProblemError `conflict` if it cannot
 */
export async function resumeRun(parts: ClusterParts, id: string, request: Resumption): Promise<AcceptedRun> {
  const { status } = readDetail(parts, id);
  if (!isResumable(status, request.from)) throw cannotContinue(status);
  const isUnchanged = Object.values(request).every((value) => value === undefined);
  const isWaiting = status === 'paused' || status === 'interrupted';
  return letContinue(parts, id, isUnchanged && isWaiting ? {} : await settingsOf(parts, id, request));
}

/**
 * Sends the message that resumes a run, with a budget that the server allows, and waits a moment for the worker that takes it.
 * @throws ProblemError `conflict`, or `bad_request` for a run that has used what the server allows
 */
export async function letContinue(
  parts: ClusterParts,
  id: string,
  given: SettingsData,
): Promise<AcceptedRun> {
  const kept = parts.mirrors.of(id);
  const { budgetUsd: asked } = settingsOfData(given);
  const budgetUsd = await withProblems(async () => budgetWithin(parts, id, asked));
  const settings = budgetUsd === undefined ? given : { ...given, budgetUsd };
  const waiting = AbortSignal.timeout(patienceMs);
  let refusal: string | undefined;
  const delivered = deliver(kept.run, { kind: 'resume', settings }, waiting).then((reason) => {
    refusal = reason;
  });
  await withProblems(() => atMost(patienceMs, delivered));
  if (refusal !== undefined) throw new ProblemError('conflict', `the run does not continue: ${refusal}`);
  parts.list.forget();
  if (waiting.aborted) return { id, status: 'queued' };
  // Whoever looks now must not find that it has ended.
  kept.update();
  return accepted(parts, id);
}

/** Settings of a request, within the bounds of the server, which its workers do not know. @throws ProblemError */
async function settingsOf(parts: ClusterParts, id: string, request: Resumption): Promise<SettingsData> {
  const { directory, program, keys } = await checkContinuation(parts, id, request);
  const { bounds } = parts.environment.options;
  const settings = optionsOfBody('resumption', request);
  const state = foldJournal(program, readJournal(path.join(directory, runFiles.journal)), directory);
  return dataOfSettings(
    {
      ...settings,
      maxSteps: boundedSteps(settings.maxSteps, program, state, bounds),
    },
    keys.redactor,
  );
}
