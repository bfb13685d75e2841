import { matchChoice } from '../../graph/choices.js';
import type { Answer, Question } from '../machine/interview.js';

/**
 * What a person typed, as an answer to a question (§6.3, SEMANTICS 55b); undefined where it fits none of the choices, so
 * that the question can be put again.
 */
export function matchAnswer(question: Question, typed: string): Answer | undefined {
  const text = typed.trim();
  switch (question.type) {
    case 'MULTIPLE_CHOICE': {
      const choices = question.options.map((option) => ({
        ...option,
        to: targetOf(question, option.key),
        labelled: true,
      }));
      const choice = matchChoice(choices, text);
      const option = question.options.find(({ key }) => key === choice?.key);
      return option && { value: option.key, selected_option: option };
    }
    case 'YES_NO':
    case 'CONFIRMATION':
      if (/^(?:y|yes)$/i.test(text)) return { value: 'YES' };
      return /^(?:n|no)$/i.test(text) ? { value: 'NO' } : undefined;
    case 'FREEFORM':
      return { value: text, text };
  }
}

/** A gate tells the targets of its choices, so that an answer may name one. */
function targetOf(question: Question, key: string): string {
  const targets = question.metadata?.targets;
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets)) return '';
  const target = Object.entries(targets).find(([name]) => name === key)?.[1];
  return typeof target === 'string' ? target : '';
}
