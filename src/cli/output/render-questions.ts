import path from 'node:path';
import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { describeChoice } from '../../graph/choices.js';
import type { Question } from '../../machine/interview.js';
import type { AskedQuestion } from '../../setup/questions-of.js';
import type { RunOverview } from '../../view/run-overview.js';
import { elapsed, more, mostLines, oneLine } from '../progress/status-lines.js';
import { shellWord } from '../run-name.js';

interface Show {
  /** Name of the run for the next call. */
  readonly run: string;
  readonly nameOf: (directory: string) => string;
  readonly chalk: ChalkInstance;
  readonly now: number;
}

/**
 * The questions of a run and of those below it: what is asked, by whom, and how to answer (SEMANTICS 87).
 * @param overview of the run
 */
export function questionLines(
  questions: readonly AskedQuestion[],
  { run_dir: own }: Pick<RunOverview, 'run_dir'>,
  show: Show,
): readonly string[] {
  const lines = questions
    .slice(0, mostLines)
    .flatMap((asked) => [
      `  ${printable(nameOf(asked, questions))}: ${oneLine(asked.question.text.trim().replaceAll(/\s*\n\s*/g, ' '))}${remark(asked, own, show)}`,
      ...asked.question.options.map((option) => `    ${printable(describeChoice(option))}`),
      `    ${printable(howToAnswer(asked, isOf(own, asked), show.run))}`,
    ]);
  return [...lines, ...more(questions.length)];
}

/** Name of a stage that asks, with the branch if the stage asks in several. */
function nameOf({ name, origin: { question } }: AskedQuestion, all: readonly AskedQuestion[]): string {
  const isAlone = all.filter((other) => other.name === name).length === 1;
  return isAlone || question.branch === null ? name : `${name} in ${question.branch}`;
}

function isOf(directory: string, { origin }: AskedQuestion): boolean {
  return path.resolve(origin.directory) === directory;
}

function remark(asked: AskedQuestion, own: string, { chalk, now, nameOf }: Show): string {
  const { directory, question } = asked.origin;
  const by = isOf(own, asked) ? '' : ` by the child run ${printable(nameOf(directory))}`;
  return `  ${chalk.dim(`(asked ${elapsed(question.asked_at, now)} ago${by})`)}`;
}

function howToAnswer(asked: AskedQuestion, isOwn: boolean, run: string): string {
  const { isAnswered, isLive, answerAs, question } = asked;
  if (isAnswered) {
    return isLive
      ? 'answered, not yet taken by the process that executes the run'
      : `answered; takes effect when the run is resumed (attractor resume ${run})`;
  }
  // Branches that share a gate ask by the same name, for which `resume` would answer the first one.
  const isAlone = answerAs === asked.name;
  const answer = shellWord(`${answerAs}=${answerHint(question)}`);
  if (question.words === 'required' && question.options.length > 0)
    return `answer: attractor answer ${run} ${answer} --text WORDS`;
  const call = isOwn && isAlone && !isLive ? `resume ${run} --answer ${answer}` : `answer ${run} ${answer}`;
  return `answer: attractor ${call}`;
}

function answerHint({ type, options }: Question): string {
  switch (type) {
    case 'MULTIPLE_CHOICE':
      return options[0]?.key ?? 'CHOICE';
    case 'YES_NO':
    case 'CONFIRMATION':
      return 'yes';
    case 'FREEFORM':
      return 'TEXT';
  }
}
