import type { Answer, Question } from '../../machine/interview.js';
import type { Interviewer } from './interviewer.js';

/**
 * `ask_multiple` of §6.1: asks questions one after the other (SEMANTICS 75).
 * @returns the answers in the order of the questions; undefined for each without one
 */
export async function askMultiple(
  interviewer: Interviewer,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<readonly (Answer | undefined)[]> {
  const answers: (Answer | undefined)[] = [];
  for (const question of questions) {
    answers.push(signal.aborted ? undefined : await interviewer.ask(question, signal));
  }
  return answers;
}
