import { messageOf } from '../handlers/error-category.js';
import type { Answer, Question } from '../machine/interview.js';
import type { Clock } from './clock.js';
import type { Interviewer } from './interviewer.js';
import { readAnswer } from './read-answer.js';

/** What came of a question; undefined where it stays open. */
export type Reply = Answer | 'timed out' | undefined;

/**
 * Asks the interviewer. A question with a timeout is waited out, even where nobody can be asked (SEMANTICS 87).
 * @param signal aborted when the answer is no longer wanted
 * @param onBroken told why the interviewer could not ask
 */
export async function askQuestion(
  question: Question,
  interviewer: Interviewer,
  clock: Clock,
  signal: AbortSignal,
  onBroken: (message: string) => void,
): Promise<Reply> {
  const settled = new AbortController();
  const unwanted = AbortSignal.any([signal, settled.signal]);
  const answer = answerOf(interviewer, question, unwanted, onBroken);
  try {
    if (question.timeout_seconds === undefined) return await answer;
    const expiry = clock.sleep(question.timeout_seconds * 1000, unwanted).then(
      () => 'timed out' as const,
      () => undefined,
    );
    return (await Promise.race([answer, expiry])) ?? (await expiry);
  } finally {
    settled.abort();
  }
}

/** An interviewer that breaks leaves the question open: the run pauses and can be resumed with another one. */
async function answerOf(
  interviewer: Interviewer,
  question: Question,
  signal: AbortSignal,
  onBroken: (message: string) => void,
): Promise<Answer | undefined> {
  try {
    return readAnswer(question, await interviewer.ask(question, signal));
  } catch (error) {
    onBroken(`the question of "${question.stage}" could not be asked: ${messageOf(error)}`);
    return undefined;
  }
}
