import type { Answer, Question, QuestionOption } from '../../machine/interview.js';

/**
 * The `metadata` of a question that takes several of its options (MULTI_SELECT of §11.8). Its type is MULTIPLE_CHOICE:
 * §6.2 has no other that offers options, and whoever does not know of this still sees a question that can be answered.
 */
export const multiSelectMetadata = { 'attractor.multi_select': true } as const;

export function isMultiSelect(question: Question): boolean {
  return question.metadata?.['attractor.multi_select'] === true;
}

/**
 * The answer to a question that takes several options: `selected_options` in the order of the question, at least one, and
 * `value` their keys, separated by commas.
 */
export interface MultiSelectAnswer extends Answer {
  readonly selected_options: readonly QuestionOption[];
}

/** @param options in any order, also twice */
export function multiSelectAnswer(question: Question, options: readonly QuestionOption[]): MultiSelectAnswer {
  const selected = question.options.filter((option) => options.includes(option));
  return { value: selected.map(({ key }) => key).join(', '), selected_options: selected };
}

/** What was selected of the options of a question, be it one or several (§6.3). */
export function selectedOptions(answer: Answer): readonly QuestionOption[] {
  const { selected_options: several, selected_option: one } = answer as Partial<MultiSelectAnswer>;
  return several ?? (one === undefined ? [] : [one]);
}
