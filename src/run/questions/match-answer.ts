import { matchChoice } from '../../graph/choices.js';
import type { Answer, Question, QuestionOption } from '../../machine/interview.js';
import { isMultiSelect, multiSelectAnswer } from './multi-select.js';

/**
 * What a person typed, as an answer to a question (§6.3, SEMANTICS 55b); undefined where it fits none of the choices, so
 * that the question can be put again. Where several options may be chosen, they are separated by commas.
 */
export function matchAnswer(question: Question, typed: string): Answer | undefined {
  const text = typed.trim();
  switch (question.type) {
    case 'MULTIPLE_CHOICE': {
      if (isMultiSelect(question)) return matchSeveral(question, text);
      const option = matchOption(question, text);
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

function matchOption(question: Question, text: string): QuestionOption | undefined {
  const choices = question.options.map((option) => ({
    ...option,
    to: targetOf(question, option.key),
    labelled: true,
  }));
  const choice = matchChoice(choices, text);
  return question.options.find(({ key }) => key === choice?.key);
}

/** A label may have commas itself, so that the whole text goes first. */
function matchSeveral(question: Question, text: string): Answer | undefined {
  const one = matchOption(question, text);
  if (one !== undefined) return multiSelectAnswer(question, [one]);
  const options = text.split(',').map((part) => matchOption(question, part));
  const known = options.filter((option) => option !== undefined);
  return known.length < options.length ? undefined : multiSelectAnswer(question, known);
}

/** A gate tells the targets of its choices, so that an answer may name one. */
function targetOf(question: Question, key: string): string {
  const targets = question.metadata?.targets;
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets)) return '';
  const target = Object.entries(targets).find(([name]) => name === key)?.[1];
  return typeof target === 'string' ? target : '';
}
