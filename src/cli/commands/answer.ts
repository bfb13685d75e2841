import { printable, printableLines } from '../../diagnostic/printable.js';
import { redactorOf } from '../../setup/keys.js';
import type { AskedQuestion } from '../../setup/questions-of.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { runName } from '../run-name.js';

interface AnswerArguments extends DatabaseArguments {
  readonly text?: string;
}

/** `attractor answer RUN [NODE=]CHOICE`: answers a question of a run from elsewhere (§6, SEMANTICS 87). */
export const answerCommand: CliCommand<AnswerArguments> = {
  name: 'answer',
  summary: 'Answer a question of a running or paused run',
  example: 'attractor answer .attractor/runs/20260131-120000-Example-k3x7qa gate=Approve',
  configure: (command) =>
    addDatabaseOption(command)
      .argument('<run>', 'a run id, or a path to a run directory')
      .argument(
        '[answer]',
        'a choice, or free text if the question asks for it; NODE=CHOICE if several questions are open. Without it, the open questions are shown',
      )
      .option('--text <text>', 'text besides the choice, for a gate that asks for one'),
  run: ([name = '', choice], options, io) =>
    withRun(name, options, io, async ({ directory, inCluster }) => {
      const { AlreadyAnswered } = await import('../../setup/deliver-answer.js');
      return answerRun({ name, directory }, { choice, text: options.text }, io).catch((error: unknown) => {
        // What lies in the copy here was sent: to remove it withdraws nothing.
        if (inCluster !== undefined && error instanceof AlreadyAnswered) throw new UsageError(error.fact);
        throw error;
      });
    }),
};

interface TypedAnswer {
  readonly choice: string | undefined;
  readonly text: string | undefined;
}

/** @param run with the name by which the call means it */
async function answerRun(
  { name, directory }: { readonly name: string; readonly directory: string },
  { choice, text }: TypedAnswer,
  io: Io,
): Promise<number> {
  const { overviewOf } = await import('../../view/run-overview.js');
  const { questionsOf } = await import('../../setup/questions-of.js');
  const overview = overviewOf(directory, Date.now());
  const open = questionsOf(overview);
  if (open.length === 0) {
    const { statusPhrase } = await import('../../view/status-phrase.js');
    throw new UsageError(`this run has no open question: it ${statusPhrase(overview.status)}`);
  }
  const given = choice ?? text;
  const { chooseQuestion, shownName } = await import('../choose-question.js');
  if (given === undefined) {
    const { questionText } = await import('../../run/questions/question-text.js');
    for (const asked of open) {
      const { question, isAnswered } = asked;
      io.stdout.write(
        `${printable(shownName(asked))}: ${isAnswered ? '(answered, not yet taken) ' : ''}${questionText(question)}`,
      );
    }
    return exitCode.ok;
  }
  const { matchAnswer, typedAnswer } = await import('../../run/questions/match-answer.js');
  const { asked, typed: chosenText } = chooseQuestion(open, given, name);
  const typed = choice === undefined ? chosenText : typedAnswer(chosenText, text);
  // It lies in the run directory until it is taken.
  const answer = redactorOf(io).json(matchAnswer(asked.question, typed));
  if (answer === undefined) throw new UsageError(await fitsNothing(asked, typed));
  const { deliverAnswer } = await import('../../setup/deliver-answer.js');
  const { describeChoice } = await import('../../graph/choices.js');
  const chosen = answer.selected_option;
  const words = chosen === undefined ? printableLines(answer.value) : printable(describeChoice(chosen));
  const said = `${printable(shownName(asked))}: ${words}`;
  switch (await deliverAnswer(asked.directory, asked.question, answer)) {
    case 'taken':
      io.stdout.write(`${said}\n`);
      return exitCode.ok;
    case 'kept':
      io.stdout.write(
        `${said}\nThe answer takes effect when the run is resumed: attractor resume ${runName(directory, io.cwd())}\n`,
      );
      return exitCode.ok;
    case 'waiting':
      io.stdout.write(
        `${said}\nThe answer is left for the process that executes the run; it has not been taken yet.\n`,
      );
      return exitCode.ok;
  }
}

async function fitsNothing({ name, question }: AskedQuestion, typed: string): Promise<string> {
  const { matchAnswer } = await import('../../run/questions/match-answer.js');
  if (matchAnswer({ ...question, words: 'optional' }, typed) !== undefined && question.words === 'required')
    return `"${name}" needs a text besides the choice: add --text "…"`;
  const { describeChoice } = await import('../../graph/choices.js');
  const choices = question.options.map(describeChoice).join(', ');
  if (choices !== '') return `"${typed}" does not answer "${name}", which offers: ${choices}`;
  const { expectedAnswer } = await import('../../run/questions/question-text.js');
  return `"${typed}" does not answer "${name}"; answer with ${expectedAnswer(question)}`;
}
