import type { Answer, Question } from '../machine/interview.js';

/** The way to a person (§6.1): a console, a page, a queue of prepared answers. */
export interface Interviewer {
  /**
   * @param signal aborted when the answer is no longer wanted
   * @returns the answer, or undefined where nobody can be asked now: the run then pauses until somebody can
   */
  ask(question: Question, signal: AbortSignal): Promise<Answer | undefined>;
  /** Tells a person something; never waits. */
  inform?(message: string, stage: string): void;
}

/** For a run that nobody watches: every question stays open. */
export const absentInterviewer: Interviewer = {
  ask: () => Promise.resolve(undefined),
};
