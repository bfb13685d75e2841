import { onAbort } from '../../abort/abort.js';
import type { Answer, Question } from '../../machine/interview.js';

/** The way to a person (§6.1): a console, a page, a queue of prepared answers. */
export interface Interviewer {
  /**
   * May be called while earlier questions are still open: parallel branches ask at the same time.
   * @param signal aborted when the answer is no longer wanted; its reason is `questionSettled` where the question has been
   *   settled without this interviewer, and anything else where it may be put again later
   * @param warn adds a warning to the log of the run; who hands a question on hands this on too
   * @returns the answer, or undefined where nobody can be asked now: the run then pauses until somebody can
   */
  ask(question: Question, signal: AbortSignal, warn?: Warn): Promise<Answer | undefined>;
  /** Tells a person something; never waits (SEMANTICS 75). */
  inform?(message: string, stage: string): void;
}

/** Adds a warning to the log of a run. */
export type Warn = (message: string) => void;

/** Why a question is taken back from those who have not answered it: another answer counts, or the time was up. */
export const questionSettled: Error = new Error('the question has been settled');

/** For a run that is answered from elsewhere: every question waits for that. */
export const waitingInterviewer: Interviewer = {
  ask: (_question, signal) =>
    new Promise((resolve) => {
      onAbort(signal, () => resolve(undefined));
    }),
};

/** For a run that nobody watches: every question stays open. */
export const absentInterviewer: Interviewer = {
  ask: () => Promise.resolve(undefined),
};
