import { describeChoice } from '../../graph/choices.js';
import type { Answer, Question } from '../../machine/interview.js';
import { matchAnswer } from '../../run/questions/match-answer.js';
import { isMultiSelect } from '../../run/questions/multi-select.js';
import { expectedAnswer } from '../../run/questions/question-text.js';
import type { Redactor } from '../../secrets/redactor.js';
import { type Delivery, deliverAnswer } from '../../setup/deliver-answer.js';
import { type AskedQuestion, questionsOf } from '../../setup/questions-of.js';
import { UsageError } from '../../setup/usage-error.js';
import { overviewOf } from '../../view/run-overview.js';
import type { AnsweredQuestion, OpenQuestionJson } from '../api/question.js';
import { ProblemError } from '../problem-error.js';
import type { OwnRun, OwnRunEnd } from './own-run.js';
import { problemOf } from './problem-of.js';
import { wasAsked } from './was-asked.js';

/** The questions that a run of this server asks, those of its child runs included (§9.5). */
export function questionsOfOwn(run: OwnRun): readonly OpenQuestionJson[] {
  const asked = run.desk.questions.map(({ question, askedAt }) => toJson(question, askedAt, false));
  const known = new Set(asked.map(({ id }) => id));
  // In the journal already, and about to be asked.
  const coming = run.digest.questions
    .filter(({ id }) => !known.has(id))
    .map((question) => toJson(question, question.asked_at, false));
  return [...asked, ...coming];
}

/** Those of a run that somebody else executes, or nobody. */
export function questionsOfOther(directory: string, now: number): readonly OpenQuestionJson[] {
  return questionsOf(overviewOf(directory, now)).map(({ question, name, origin, isAnswered }) =>
    toJson({ ...question, stage: name }, origin.question.asked_at, isAnswered),
  );
}

/** Answers a question of a run of this server: the first answer counts (§6). @throws ProblemError */
export async function answerOwn(
  run: OwnRun,
  name: string,
  text: string,
  redactor: Redactor,
): Promise<AnsweredQuestion> {
  const question = await questionAsked(run, name);
  if (question === undefined) throw notOpen(run.directory, name);
  const answer = answerFor(question, text, redactor);
  if (!run.desk.answer(question.id, answer)) throw tooLate(question);
  // Whoever is told that the answer counts finds it in the journal.
  const end = await run.untilSettled(question.id);
  if (end !== undefined) throw cameToNothing(question, end);
  return answered(answer, 'taken');
}

/** The same where another process asks, or nobody does now. @throws ProblemError */
export async function answerOther(
  directory: string,
  name: string,
  text: string,
  redactor: Redactor,
  now: number,
): Promise<AnsweredQuestion> {
  const open = questionsOf(overviewOf(directory, now));
  const asked = questionNamed(open, name);
  if (asked === undefined) throw notOpen(directory, name);
  const answer = answerFor({ ...asked.question, stage: asked.name }, text, redactor);
  try {
    return answered(answer, await deliverAnswer(asked.directory, asked.question, answer));
  } catch (error) {
    if (error instanceof UsageError) throw new ProblemError('conflict', error.message, { cause: error });
    throw error;
  }
}

/** A question comes to the desk a moment after the journal has it; of a run that goes on, when all that it needs is loaded. */
async function questionAsked(run: OwnRun, name: string): Promise<Question | undefined> {
  const isMeant = ({ id, stage }: Question): boolean => id === name || stage === name;
  for (let waited = 0; waited < patienceMs; waited += lookMs) {
    const found = run.desk.questions.find(({ question }) => isMeant(question));
    if (found !== undefined) return found.question;
    if (!run.digest.questions.some(isMeant)) return undefined;
    const over = await Promise.race([pause(), run.end]);
    if (over !== undefined) return undefined;
  }
  throw new ProblemError('conflict', `"${name.slice(0, 200)}" is about to be asked again; answer once more`);
}

/** How long whoever answers waits for that. */
const patienceMs = 5000;
const lookMs = 5;

function pause(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), lookMs));
}

/** By its id; by its stage too, where that asks one thing at a time. */
function questionNamed(open: readonly AskedQuestion[], name: string): AskedQuestion | undefined {
  return open.find(({ question }) => question.id === name) ?? open.find((asked) => asked.name === name);
}

function answerFor(question: Question, text: string, redactor: Redactor): Answer {
  const answer = redactor.json(matchAnswer(question, text));
  if (answer !== undefined) return answer;
  const choices = question.options.map(describeChoice).join(', ');
  const given = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  const expected = choices === '' ? `answer with ${expectedAnswer(question)}` : `which offers: ${choices}`;
  throw new ProblemError('bad_request', `${given} is no answer to "${question.stage}", ${expected}`);
}

function answered({ value, selected_option: option }: Answer, delivery: Delivery): AnsweredQuestion {
  return { value, label: option?.label ?? null, delivery };
}

function cameToNothing({ stage }: Question, end: OwnRunEnd): unknown {
  if (end.kind === 'broken') return problemOf(end.error);
  return new ProblemError(
    'conflict',
    `the run stopped before the answer to "${stage}" could be written down`,
  );
}

function tooLate({ stage }: Question): ProblemError {
  return new ProblemError('conflict', `"${stage}" has been answered already, and that answer counts`);
}

function notOpen(directory: string, name: string): ProblemError {
  const shown = name.slice(0, 200);
  if (wasAsked(directory, name))
    return new ProblemError(
      'conflict',
      `the question "${shown}" is no longer open: it was settled, or its run is over`,
    );
  return new ProblemError('not_found', `this run has asked no question "${shown}"`);
}

function toJson(question: Question, askedAt: string, isAnswered: boolean): OpenQuestionJson {
  const { id, stage, text, type, options, metadata, default: standIn, timeout_seconds: timeout } = question;
  return {
    id,
    stage,
    text,
    type,
    details: typeof metadata?.prompt === 'string' ? metadata.prompt : null,
    options: options.map(({ key, label }) => ({ key, label })),
    multi_select: isMultiSelect(question),
    default: standIn === undefined ? null : (standIn.selected_option?.key ?? standIn.text ?? standIn.value),
    timeout_seconds: timeout ?? null,
    asked_at: askedAt,
    answered: isAnswered,
  };
}
