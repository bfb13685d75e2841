import { foundText } from '../../graph/values/found-text.js';
import { toJsonValue } from '../../handlers/context.js';
import type { QuestionDraft, QuestionTypeName } from '../../handlers/question-draft.js';
import type { Question, QuestionType } from '../../machine/interview.js';
import { isFittingAnswer } from './is-fitting-answer.js';
import { multiSelectMetadata } from './multi-select.js';
import { readAnswer } from './read-answer.js';

/** §6.2's name for each name that a handler may use (SEMANTICS 58). */
const typeNames: ReadonlyMap<string, QuestionType> = new Map<QuestionTypeName, QuestionType>([
  ['YES_NO', 'YES_NO'],
  ['MULTIPLE_CHOICE', 'MULTIPLE_CHOICE'],
  ['FREEFORM', 'FREEFORM'],
  ['CONFIRMATION', 'CONFIRMATION'],
  ['SINGLE_SELECT', 'MULTIPLE_CHOICE'],
  ['MULTI_SELECT', 'MULTIPLE_CHOICE'],
  ['FREE_TEXT', 'FREEFORM'],
  ['CONFIRM', 'CONFIRMATION'],
]);

/**
 * Question of a handler, in the words of §6.2. It may come from code that no compiler has seen.
 * @throws Error for a question that nobody could answer
 */
export function readQuestion(draft: QuestionDraft, id: string, stage: string): Question {
  const { default: fallback, ...rest } = draft;
  const question: Question = {
    ...rest,
    id,
    stage,
    type: typeOf(draft, stage),
    options: draft.options ?? [],
    metadata: draft.type === 'MULTI_SELECT' ? { ...draft.metadata, ...multiSelectMetadata } : draft.metadata,
  };
  if (question.type === 'MULTIPLE_CHOICE' && question.options.length === 0) {
    throw new Error(`"${stage}" asked a question of type ${draft.type} without options to choose from`);
  }
  checkTimeout(question);
  if (fallback === undefined) return plain(question);
  const answer = readAnswer(question, fallback);
  if (answer !== undefined && isFittingAnswer(question, answer))
    return plain({ ...question, default: answer });
  throw new Error(
    `the default answer "${answer?.value}" to the question of "${stage}" is not one of its choices`,
  );
}

/** Copy of a question as JSON, because it is journaled, and the handler may change its draft. */
function plain(question: Question): Question {
  if (typeof question.text !== 'string') {
    const found = foundText(question.text);
    throw new Error(`"${question.stage}" asked a question with the text ${found}; expected a string`);
  }
  const copy = toJsonValue(question, () => undefined);
  if (typeof copy === 'object') return copy as unknown as Question;
  throw new Error(
    `the question of "${question.stage}" cannot be written as JSON: does it contain a cycle or a BigInt?`,
  );
}

function typeOf({ type }: QuestionDraft, stage: string): QuestionType {
  const known = typeNames.get(type);
  if (known !== undefined) return known;
  throw new Error(
    `"${stage}" asked a question of type "${type}"; expected one of ${[...typeNames.keys()].join(', ')}`,
  );
}

function checkTimeout({ timeout_seconds: seconds, stage }: Question): void {
  if (seconds === undefined || (Number.isFinite(seconds) && seconds >= 0)) return;
  throw new Error(`the question of "${stage}" has the timeout_seconds ${seconds}; expected a number from 0`);
}
