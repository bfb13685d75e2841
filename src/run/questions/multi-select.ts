import type { Answer, Question, QuestionOption } from '../../machine/interview.js';

/**
 * `metadata` of a question that takes several of its options (MULTI_SELECT of §11.8). Its type is
 * MULTIPLE_CHOICE: §6.2 has no other with options, and an interviewer that ignores this still has a valid
 * question.
 */
export const multiSelectMetadata = { 'attractor.multi_select': true } as const;

export function isMultiSelect(question: Question): boolean {
  return question.metadata?.['attractor.multi_select'] === true;
}

/**
 * Answer to a question that takes several options: `selected_options` in the order of the question, at
 * least one, and `value` their keys, separated by commas.
 */
export interface MultiSelectAnswer extends Answer {
  readonly selected_options: readonly QuestionOption[];
}

/** @param options in any order, also repeated */
export function multiSelectAnswer(question: Question, options: readonly QuestionOption[]): MultiSelectAnswer {
  const selected = question.options.filter((option) => options.includes(option));
  return { value: selected.map(({ key }) => key).join(', '), selected_options: selected };
}

/** Selected options of an answer, one or several (§6.3). */
export function selectedOptions(answer: Answer): readonly QuestionOption[] {
  const { selected_options: several, selected_option: one } = answer as Partial<MultiSelectAnswer>;
  return several ?? (one === undefined ? [] : [one]);
}
