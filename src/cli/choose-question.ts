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
 * Finds the question for an answer (SEMANTICS 87): `gate=A` names it, by its stage or its id; if only one
 * is open, `A` suffices. A stage of a child run may lack the nodes above it if the name is unique.
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
      ? `${run} has several open questions; name one, as in \`${open[0]?.name}=${given}\``
      : noQuestionNamed(open, name, run);
  throw new UsageError(`${problem}. These are open:\n${open.map(listed).join('\n')}`);
}

function questionNamed(open: readonly AskedQuestion[], name: string): AskedQuestion | undefined {
  const [exact] = unanswered(open.filter((asked) => asked.name === name || asked.question.id === name));
  if (exact !== undefined) return exact;
  const inside = open.filter((asked) => asked.name.endsWith(`/${name}`));
  return new Set(inside.map((asked) => asked.name)).size === 1 ? unanswered(inside)[0] : undefined;
}

/** Questions without an answer; an answered one is meant only if there is no other. */
function unanswered(open: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const waiting = open.filter(({ isAnswered }) => !isAnswered);
  return waiting.length > 0 ? waiting : open;
}

function noQuestionNamed(open: readonly AskedQuestion[], name: string, run: string): string {
  const names = open.map((asked) => asked.name);
  const several = names.filter((other) => other.endsWith(`/${name}`));
  if (several.length > 1) return `"${name}" may be ${several.join(' or ')}`;
  return `no open question of ${run} is called "${name}"${didYouMean(name, names)}`;
}

function listed({ name, question, isAnswered }: AskedQuestion): string {
  const choices = question.options.map(describeChoice).join(', ') || expectedAnswer(question);
  const state = isAnswered ? ' (answered, not yet taken)' : '';
  return `  ${printable(`${name}: ${question.text}`)}${state}  ${printable(choices)}`;
}
