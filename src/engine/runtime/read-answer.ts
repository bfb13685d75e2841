import type { Answer, Question } from '../machine/interview.js';
import { matchAnswer } from './match-answer.js';

/**
 * An answer as an interviewer gives it (§6.3): it may come from code that no compiler has seen. A bare text is matched as
 * if a person had typed it; an object may have a `text` only.
 * @returns undefined where nobody answered
 * @throws Error for what is no answer
 */
export function readAnswer(question: Question, given: unknown): Answer | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return matchAnswer(question, given) ?? { value: given };
  if (typeof given === 'object') {
    const { value, text } = given as { readonly value?: unknown; readonly text?: unknown };
    if (typeof value === 'string') return given as Answer;
    if (typeof text === 'string') return matchAnswer(question, text) ?? { value: text, text };
  }
  throw new Error('the interviewer gave an answer without a `value` or a `text`');
}
