import { abortWith, untilAborted } from '../../abort/abort.js';
import { messageOf } from '../../handlers/error-category.js';
import type { Answer, Question } from '../../machine/interview.js';
import { type Clock, holding } from '../driver/clock.js';
import { type Interviewer, questionSettled, type Warn } from './interviewer.js';
import { lacksWords } from './match-answer.js';
import { readAnswer } from './read-answer.js';

/** Reply to a question; undefined if it stays open. */
export type Reply = Answer | 'timed out' | undefined;

/**
 * Asks the interviewer. A question with a timeout waits for it, even if nobody can be asked (SEMANTICS 87).
 * @param signal aborted when the answer is no longer wanted
 * @param warn called with the reason why the interviewer could not ask, and with its other warnings for the
 * log of the run
 */
export async function askQuestion(
  question: Question,
  interviewer: Interviewer,
  clock: Clock,
  signal: AbortSignal,
  warn: Warn,
): Promise<Reply> {
  const settled = new AbortController();
  const release = abortWith(settled, signal);
  const unwanted = settled.signal;
  let reply: Reply;
  try {
    // A simulated time must not run out while a person thinks.
    const answer = holding(clock, untilAborted(answerOf(interviewer, question, unwanted, warn), signal));
    if (question.timeout_seconds === undefined) {
      reply = await answer;
    } else {
      const expiry = clock.sleep(question.timeout_seconds * 1000, unwanted).then(
        () => 'timed out' as const,
        () => undefined,
      );
      reply = (await Promise.race([answer, expiry])) ?? (await expiry);
    }
    return reply;
  } finally {
    release();
    settled.abort(reply === undefined ? new Error('nobody could be asked') : questionSettled);
  }
}

/**
 * Answer of an interviewer; one that throws leaves the question open: the run pauses and can be resumed
 * with another one.
 */
async function answerOf(
  interviewer: Interviewer,
  question: Question,
  signal: AbortSignal,
  warn: Warn,
): Promise<Answer | undefined> {
  try {
    const answer = readAnswer(question, await interviewer.ask(question, signal, warn));
    return answer === undefined || lacksWords(question, answer) ? undefined : answer;
  } catch (error) {
    if (!signal.aborted) {
      warn(`the question of "${question.stage}" could not be asked: ${messageOf(error)}`);
    }
    return undefined;
  }
}
