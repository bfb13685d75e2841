import { didYouMean } from '../diagnostic/did-you-mean.js';
import { printable } from '../diagnostic/printable.js';
import { describeChoice } from '../graph/choices.js';
import { matchAnswer } from '../run/questions/match-answer.js';
import { expectedAnswer } from '../run/questions/question-text.js';
import type { AskedQuestion } from '../setup/questions-of.js';
import { UsageError } from '../setup/usage-error.js';

/** Typed answer, with its question. */
export interface ChosenQuestion {
  readonly asked: AskedQuestion;
  readonly typed: string;
}

/**
 * Finds the question for an answer (SEMANTICS 87): `gate=A` names it, by its stage, with the number of an item (`gate#2`), or by its
 * id; if only one is open, `A` suffices. A stage of a child run may lack the nodes above it if the name is unique. A name that
 * several questions have means none of them, but for the last one without an answer.
 * @param open at least one
 * @param run its name for the next call
 * @throws UsageError with the open questions
 */
export function chooseQuestion(open: readonly AskedQuestion[], given: string, run: string): ChosenQuestion {
  const split = given.indexOf('=');
  const name = split < 1 ? undefined : given.slice(0, split).trim();
  const named = name === undefined ? undefined : questionNamed(open, name);
  if (named !== undefined) return { asked: named, typed: given.slice(split + 1) };
  const [only, ...others] = unanswered(open);
  const isMeant = only !== undefined && others.length === 0;
  if (isMeant && (name === undefined || matchAnswer(only.question, given) !== undefined)) {
    return { asked: only, typed: given };
  }
  const problem =
    name === undefined
      ? `${run} has several open questions; name one, as in \`${only?.answerAs}=${given}\``
      : noQuestionNamed(open, name, { run, typed: given.slice(split + 1) });
  throw new UsageError(`${problem}. These are open:\n${open.map(listed).join('\n')}`);
}

/** Name of a question for people, which tells it from the others. */
export function shownName({ name, answerAs, itemName }: AskedQuestion): string {
  return answerAs === name || itemName === name ? answerAs : `${answerAs} (${itemName})`;
}

function questionNamed(open: readonly AskedQuestion[], name: string): AskedQuestion | undefined {
  const meant = questionsNamed(open, name);
  return meant.length === 1 ? meant[0] : undefined;
}

/** Questions that a name may mean. */
function questionsNamed(open: readonly AskedQuestion[], name: string): readonly AskedQuestion[] {
  const ways: readonly ((asked: AskedQuestion) => boolean)[] = [
    (asked) => asked.name === name || asked.question.id === name,
    (asked) => asked.itemName === name,
    (asked) => asked.name.endsWith(`/${name}`) || asked.itemName.endsWith(`/${name}`),
  ];
  for (const isMeant of ways) {
    const found = open.filter(isMeant);
    // What is answered in one child is not a reason to mean the gate of another.
    const isOne = new Set(found.map((asked) => asked.name)).size === 1;
    if (found.length > 0) return isOne ? unanswered(found) : found;
  }
  return [];
}

/** Questions without an answer; an answered one is meant only if there is no other. */
function unanswered(open: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const waiting = open.filter(({ isAnswered }) => !isAnswered);
  return waiting.length > 0 ? waiting : open;
}

function noQuestionNamed(
  open: readonly AskedQuestion[],
  name: string,
  { run, typed }: { readonly run: string; readonly typed: string },
): string {
  const [first, ...others] = questionsNamed(open, name);
  if (first !== undefined) {
    const several = new Set([first, ...others].map((asked) => asked.name));
    if (several.size > 1) return `"${name}" may be ${[...several].join(' or ')}`;
    return `"${name}" is the name of several open questions; name one, as in \`${first.answerAs}=${typed}\``;
  }
  const names = open.map((asked) => asked.name);
  return `no open question of ${run} is called "${name}"${didYouMean(name, names)}`;
}

function listed(asked: AskedQuestion): string {
  const { question, isAnswered } = asked;
  const choices = question.options.map(describeChoice).join(', ') || expectedAnswer(question);
  const state = isAnswered ? ' (answered, not yet taken)' : '';
  return `  ${printable(`${shownName(asked)}: ${question.text}`)}${state}  ${printable(choices)}`;
}
