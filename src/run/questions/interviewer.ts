import { onAbort } from '../../abort/abort.js';
import type { Answer, Question } from '../../machine/interview.js';

/** Connection to a person (§6.1): a console, a page, a queue of prepared answers. */
export interface Interviewer {
  /**
   * Asks a question. May be called while earlier questions are still open: parallel branches ask at the
   * same time.
   * @param signal aborted when the answer is no longer wanted; its reason is `questionSettled` if the
   * question was answered elsewhere, and anything else if it may be asked again later
   * @param warn adds a warning to the log of the run; an interviewer that passes a question on passes this
   * on too
   * @returns the answer, or undefined if nobody can be asked now: the run then pauses until somebody can
   */
  ask(question: Question, signal: AbortSignal, warn?: Warn): Promise<Answer | undefined>;
  /** Informs a person; never waits (SEMANTICS 75). */
  inform?(message: string, stage: string): void;
}

/** Adds a warning to the log of a run. */
export type Warn = (message: string) => void;

/**
 * Reason to withdraw a question from those who have not answered it: another answer counts, or the time was
 * up.
 */
export const questionSettled: Error = new Error('the question has been settled');

/** Interviewer for a run that is answered from elsewhere: every question waits for that. */
export const waitingInterviewer: Interviewer = {
  ask: (_question, signal) =>
    new Promise((resolve) => {
      onAbort(signal, () => resolve(undefined));
    }),
};

/** Interviewer for an unattended run: every question stays open. */
export const absentInterviewer: Interviewer = {
  ask: () => Promise.resolve(undefined),
};
