import { cancelInCluster } from '../../cluster/deliver.js';
import { requestRun } from '../../run-directory/run-requests.js';
import { redactorOf } from '../../setup/keys.js';
import { isOver } from '../../view/run-status.js';
import type { AnsweredQuestion } from '../api/question.js';
import type { AcceptedRun, PauseRequestBody, SteeredStageJson, SteerRequest } from '../api/run.js';
import { answerByFile } from '../runs/answer-question.js';
import { withProblems } from '../runs/problem-of.js';
import { atMost, cannot, patienceMs } from '../runs/steer-runs.js';
import { sayInDirectory } from '../runs/steer-stage.js';
import type { ClusterParts } from './cluster-parts.js';
import { directoryOf, readDetail } from './look-at-runs.js';

/** Pauses a run on its worker, or before one takes it. @throws ProblemError `conflict` */
export async function pauseRun(
  parts: ClusterParts,
  id: string,
  { mode = 'after_stage', reason = 'requested at the server' }: PauseRequestBody,
): Promise<AcceptedRun> {
  const { status } = readDetail(parts, id);
  if (status === 'paused') return { id, status };
  if (status !== 'running' && status !== 'queued') throw cannot('be paused', status);
  const text = redactorOf(parts.environment.keyring).text(reason);
  await withProblems(async () => requestRun(directoryOf(parts, id), { kind: 'pause', mode, reason: text }));
  parts.list.forget();
  return accepted(parts, id);
}

/** Ends a run for good, wherever it is. @throws ProblemError `conflict` if it has ended */
export async function cancelRun(parts: ClusterParts, id: string): Promise<AcceptedRun> {
  const { status } = readDetail(parts, id);
  if (isOver(status) || status === 'damaged') throw cannot('be cancelled', status);
  const { run } = parts.mirrors.of(id);
  await withProblems(() => atMost(patienceMs, cancelInCluster(run, AbortSignal.timeout(patienceMs))));
  parts.list.forget();
  return accepted(parts, id);
}

/** @throws ProblemError */
export async function answerRun(
  parts: ClusterParts,
  id: string,
  question: string,
  text: string,
): Promise<AnsweredQuestion> {
  const redactor = redactorOf(parts.environment.keyring);
  const directory = directoryOf(parts, id);
  const answer = await withProblems(() => answerByFile(directory, question, text, redactor, parts.now()));
  parts.list.forget();
  return answer;
}

/** @throws ProblemError `conflict` with the reason if the stage takes no words */
export async function steerRun(
  parts: ClusterParts,
  id: string,
  words: SteerRequest,
): Promise<SteeredStageJson> {
  return sayInDirectory(directoryOf(parts, id), words, parts.environment.keyring);
}

/** Answer to a request that was sent. */
export function accepted(parts: ClusterParts, id: string): AcceptedRun {
  const { status } = readDetail(parts, id);
  return { id, status };
}
