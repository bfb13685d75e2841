import type { Answer, Question } from '../../machine/interview.js';
import { matchAnswer } from './match-answer.js';

/**
 * Answer of an interviewer (§6.3), which may be untyped code. A bare text is matched as if a person had
 * typed it, and so is the `value` or the `text` of an object without the other fields. An answer that matches
 * no choice is kept: the stage that asked decides about it (SEMANTICS 55c).
 * @returns undefined if nobody answered
 * @throws Error for anything but an answer
 */
export function readAnswer(question: Question, given: unknown): Answer | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return complete(question, { value: given });
  if (typeof given === 'object') {
    const { value, text } = given as { readonly value?: unknown; readonly text?: unknown };
    if (typeof value === 'string') return complete(question, given as Answer);
    if (typeof text === 'string') return complete(question, { value: text, text });
  }
  throw new Error('the interviewer gave an answer without a `value` or a `text`');
}

/** Completes an answer; §6.3's words for a missing answer are not matched against the choices. */
function complete(question: Question, given: Answer): Answer {
  if (given.value === 'SKIPPED' || given.value === 'TIMEOUT') return given;
  if (question.type === 'FREEFORM' && given.text !== undefined) return given;
  const choice = given.selected_option?.key ?? given.value;
  // A text besides a choice is not part of what is matched.
  return { ...given, ...matchAnswer({ ...question, words: question.words && 'optional' }, choice) };
}
