import { matchChoice } from '../../graph/choices.js';
import type { Answer, Question, QuestionOption } from '../../machine/interview.js';
import { isMultiSelect, multiSelectAnswer } from './multi-select.js';

/**
 * Answer to a question from typed text (§6.3, SEMANTICS 55b, 109); undefined if it fits none of the choices, or
 * lacks a required text, so that the question can be asked again. Several options, if allowed, are separated
 * by commas. A tab separates the choice from the text that a gate asks for besides it.
 */
export function matchAnswer(question: Question, typed: string): Answer | undefined {
  const { choice, words } = splitWords(question, typed);
  const answer = matchTyped(question, choice);
  const complete = answer === undefined || words === '' ? answer : { ...answer, text: words };
  return complete === undefined || lacksWords(question, complete) ? undefined : complete;
}

/** True if an answer has no text although its question requires one. */
export function lacksWords({ words }: Question, { value, text = '' }: Answer): boolean {
  return words === 'required' && value !== 'SKIPPED' && value !== 'TIMEOUT' && text.trim() === '';
}

/** Choice with a text, as it is typed. */
export function typedAnswer(choice: string, text: string | undefined): string {
  return text === undefined ? choice : `${choice}\t${text}`;
}

/** Answer as a person types it; `matchAnswer` makes the same answer of it. */
export function answerAsTyped(
  { type, words }: Question,
  { value, selected_option: one, text }: Answer,
): string {
  if (type === 'FREEFORM') return text ?? value;
  return typedAnswer(one?.key ?? value, words === undefined ? undefined : text);
}

function splitWords(question: Question, typed: string): { readonly choice: string; readonly words: string } {
  const tab = typed.indexOf('\t');
  if (question.words === undefined || question.type === 'FREEFORM' || tab === -1)
    return { choice: typed, words: '' };
  return { choice: typed.slice(0, tab), words: typed.slice(tab + 1).trim() };
}

function matchTyped(question: Question, typed: string): Answer | undefined {
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

/** Matches several options; the whole text first, because a label may have commas itself. */
function matchSeveral(question: Question, text: string): Answer | undefined {
  const one = matchOption(question, text);
  if (one !== undefined) return multiSelectAnswer(question, [one]);
  const options = text.split(',').map((part) => matchOption(question, part));
  const known = options.filter((option) => option !== undefined);
  return known.length < options.length ? undefined : multiSelectAnswer(question, known);
}

/** Target of a gate's choice, so that an answer may name it. */
function targetOf(question: Question, key: string): string {
  const targets = question.metadata?.targets;
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets)) return '';
  const target = Object.entries(targets).find(([name]) => name === key)?.[1];
  return typeof target === 'string' ? target : '';
}
