import { messageOf } from '../../handlers/error-category.js';
import { runOwner } from '../../run-directory/run-requests.js';
import { redactorOf } from '../../setup/keys.js';
import { readView } from '../../view/read-view.js';
import { overviewStatus } from '../../view/run-overview.js';
import type { AnsweredQuestion } from '../api/question.js';
import { answerByFile, describeAnswer, unfitAnswer } from './answer-question.js';
import { findDirectory } from './look-at-runs.js';
import { withProblems } from './problem-of.js';
import { serverStopped } from './run-executor.js';
import type { RunParts } from './run-parts.js';
import { readMark } from './server-files.js';
import { lettingGo, resumeServedRun } from './start-runs.js';

/** Answers a question of a run, whatever process executes it (§9.5). @throws ProblemError */
export async function answerRun(
  parts: RunParts,
  id: string,
  question: string,
  text: string,
): Promise<AnsweredQuestion> {
  const { executor, environment, now } = parts;
  const directory = findDirectory(parts, id);
  await lettingGo(parts, id);
  // Undefined where the run could not begin, and of one that this server does not execute.
  const execution = await executor.own(id)?.execution();
  const receipt = await withProblems(async () => execution?.answer(question, text));
  if (receipt?.kind === 'taken') return describeAnswer(receipt.answer, 'taken');
  if (receipt?.kind === 'unfit') throw unfitAnswer(receipt.question, text);
  // A question that only the directory knows is answered there: of another process, or of a child that is yet to continue.
  const redactor = redactorOf(environment.keyring);
  const answered = await withProblems(() => answerByFile(directory, question, text, redactor, now()));
  if (answered.delivery === 'kept') await resumeAnswered(parts, id, directory);
  return answered;
}

/** Resumes a run of this server after an answer, unless a person has paused it. */
async function resumeAnswered(parts: RunParts, id: string, directory: string): Promise<void> {
  const { log } = parts.environment;
  try {
    if (readMark(directory) === undefined || !waitsForAnswer(directory)) return;
    await resumeServedRun(parts, id, {});
  } catch (error) {
    const message = `the answer was recorded, but the run does not continue yet: ${messageOf(error)}`;
    log.write('warning', message, { run: id });
  }
}

/** True if no person stopped it. */
function waitsForAnswer(directory: string): boolean {
  const view = readView(directory);
  const status = overviewStatus(view, runOwner(directory));
  if (status === 'interrupted') return true;
  return status === 'paused' && (view.pausedAt !== undefined || view.pausedReason === serverStopped);
}
