import { describeChoice } from '../../graph/choices.js';
import type { Answer, Question } from '../../machine/interview.js';
import { matchAnswer } from '../../run/questions/match-answer.js';
import { isMultiSelect } from '../../run/questions/multi-select.js';
import { expectedAnswer } from '../../run/questions/question-text.js';
import { holdsRun } from '../../run-directory/run-files.js';
import type { Redactor } from '../../secrets/redactor.js';
import { AlreadyAnswered, type Delivery, deliverAnswer } from '../../setup/deliver-answer.js';
import { type AskedQuestion, questionsOf } from '../../setup/questions-of.js';
import { UsageError } from '../../setup/usage-error.js';
import { openQuestions } from '../../view/active-stages.js';
import { overviewOf } from '../../view/run-overview.js';
import type { AnsweredQuestion, OpenQuestionJson } from '../api/question.js';
import { ProblemError } from '../problem-error.js';
import type { OwnRun } from './own-run.js';
import { stageThatAsked } from './stage-that-asked.js';

/** The questions that a run of this server asks, those of its child runs included (§9.5). */
export function questionsOfOwn(run: OwnRun): readonly OpenQuestionJson[] {
  const open = openQuestions(run.view);
  const branches = new Map(open.map(({ id, branch }) => [id, branch]));
  const asked = run.questions.map(({ question, askedAt }) => {
    const from = { branch: branches.get(question.id) ?? null, asked_at: new Date(askedAt).toISOString() };
    return toJson(question, from, false);
  });
  const known = new Set(asked.map(({ id }) => id));
  // A run that is about to continue asks again.
  const coming = open.filter(({ id }) => !known.has(id)).map((question) => toJson(question, question, false));
  return [...asked, ...coming];
}

/** Questions of a run that another process executes, or none. */
export function questionsOfOther(directory: string, now: number): readonly OpenQuestionJson[] {
  return questionsOf(overviewOf(directory, now)).map(({ question, name, origin, isAnswered }) =>
    toJson({ ...question, stage: name }, origin.question, isAnswered),
  );
}

/**
 * Leaves an answer in the directory of the run that asks, for the process that executes it now or later.
 * @throws ProblemError
 */
export async function answerByFile(
  directory: string,
  name: string,
  text: string,
  redactor: Redactor,
  now: number,
): Promise<AnsweredQuestion> {
  const open = holdsRun(directory) ? questionsOf(overviewOf(directory, now)) : [];
  const asked = questionNamed(open, name);
  if (asked === undefined) throw notOpen(directory, name);
  const question = { ...asked.question, stage: asked.name };
  const answer = redactor.json(matchAnswer(question, text));
  if (answer === undefined) throw unfitAnswer(question, text);
  try {
    return describeAnswer(answer, await deliverAnswer(asked.directory, asked.question, answer));
  } catch (error) {
    if (error instanceof AlreadyAnswered) throw new ProblemError('conflict', error.fact, { cause: error });
    if (error instanceof UsageError) throw new ProblemError('conflict', error.message, { cause: error });
    throw error;
  }
}

/** Question by its id; by its stage too, if that has one open question. */
function questionNamed(open: readonly AskedQuestion[], name: string): AskedQuestion | undefined {
  return open.find(({ question }) => question.id === name) ?? open.find((asked) => asked.name === name);
}

/** The problem of an answer that matches no choice. */
export function unfitAnswer(question: Question, text: string): ProblemError {
  if (question.words === 'required' && matchAnswer({ ...question, words: 'optional' }, text) !== undefined)
    return new ProblemError('bad_request', `"${question.stage}" needs a "text" besides the choice`);
  const choices = question.options.map(describeChoice).join(', ');
  const given = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  const expected = choices === '' ? `answer with ${expectedAnswer(question)}` : `which offers: ${choices}`;
  return new ProblemError('bad_request', `${given} does not answer "${question.stage}", ${expected}`);
}

/** The response to an answer. */
export function describeAnswer(
  { value, selected_option: option }: Answer,
  delivery: Delivery,
): AnsweredQuestion {
  return { value, label: option?.label ?? null, delivery };
}

function notOpen(directory: string, name: string): ProblemError {
  const stage = stageThatAsked(directory, name);
  if (stage === undefined)
    return new ProblemError('not_found', `this run has asked no question "${name.slice(0, 200)}"`);
  return new ProblemError(
    'conflict',
    `the question of "${stage}" is no longer open: it was answered elsewhere, or its run is over`,
  );
}

function toJson(
  question: Question,
  { branch, asked_at }: Pick<OpenQuestionJson, 'branch' | 'asked_at'>,
  isAnswered: boolean,
): OpenQuestionJson {
  const { id, stage, text, type, options, metadata, default: standIn, timeout_seconds: timeout } = question;
  return {
    id,
    stage,
    branch,
    text,
    type,
    details: typeof metadata?.prompt === 'string' ? metadata.prompt : null,
    options: options.map(({ key, label }) => ({ key, label })),
    multi_select: isMultiSelect(question),
    words: question.words ?? null,
    default: standIn === undefined ? null : (standIn.selected_option?.key ?? standIn.text ?? standIn.value),
    timeout_seconds: timeout ?? null,
    asked_at,
    answered: isAnswered,
  };
}
