import { untilAborted } from '../../abort/abort.js';
import type { Answer, Question } from '../../machine/interview.js';
import type { Interviewer } from './interviewer.js';
import { readAnswer } from './read-answer.js';

/**
 * Answer that a program may give: a bare text is matched as if a person had typed it; undefined if nobody
 * answers.
 */
export type GivenAnswer = Answer | string | undefined;

type Callback = (question: Question, signal: AbortSignal) => GivenAnswer | Promise<GivenAnswer>;

export interface CallbackOptions {
  /** Called with an answer that came too late, so that its author can be informed. */
  readonly onLate?: (question: Question, answer: Answer) => void;
  readonly inform?: (message: string, stage: string) => void;
}

/**
 * Leaves the answer to a function (§6.4), for example for a chat or a ticket system.
 * @param callback its signal is aborted when the answer is no longer wanted; the run continues even if it
 * does not listen
 */
export function callbackInterviewer(
  callback: Callback,
  { onLate, inform }: CallbackOptions = {},
): Interviewer {
  return {
    ask(question, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      return untilAborted(answerOf(callback, question, signal, onLate), signal);
    },
    inform,
  };
}

async function answerOf(
  callback: Callback,
  question: Question,
  signal: AbortSignal,
  onLate: CallbackOptions['onLate'],
): Promise<Answer | undefined> {
  const answer = readAnswer(question, await callback(question, signal));
  if (signal.aborted && answer !== undefined) onLate?.(question, answer);
  return answer;
}
