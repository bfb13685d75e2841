import type { Question } from '../../engine/machine/interview.js';
import { describeChoice } from '../../graph/choices.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { findRun } from '../find-run.js';
import { UsageError } from '../usage-error.js';

/** `attractor answer RUN [NODE=]CHOICE`: answers a question of a run from elsewhere (§6, SEMANTICS 87). */
export const answerCommand: CliCommand = {
  name: 'answer',
  summary: 'Answer a question of a run that another process executes, or that is paused',
  example: 'attractor answer .attractor/runs/20260131-120000-Example-k3x7qa gate=Approve',
  configure: (command) =>
    command
      .argument('<run>', 'a run id, or a path to a run directory')
      .argument(
        '[answer]',
        'a choice, or the text that is asked for; NODE=CHOICE where several questions are open. Without it, the open questions are shown',
      ),
  async run([name = '', given], _options, io) {
    const directory = findRun(name, io.cwd());
    const { questionsOf } = await import('../questions-of.js');
    const open = questionsOf(directory);
    if (open.length === 0) throw new UsageError(await nothingOpen(name, directory));
    if (given === undefined) {
      const { questionText } = await import('../../interviewers/question-text.js');
      for (const question of open) io.stdout.write(`${question.stage}: ${questionText(question)}`);
      return exitCode.ok;
    }
    const { question, typed } = chooseQuestion(open, given);
    const { matchAnswer } = await import('../../engine/runtime/match-answer.js');
    const answer = matchAnswer(question, typed);
    if (answer === undefined) throw new UsageError(await fitsNothing(question, typed));
    const { deliverAnswer } = await import('../deliver-answer.js');
    const said = `${question.stage}: ${answer.selected_option === undefined ? answer.value : describeChoice(answer.selected_option)}`;
    switch (await deliverAnswer(directory, question, answer)) {
      case 'taken':
        io.stdout.write(`${said}\n`);
        return exitCode.ok;
      case 'kept':
        io.stdout.write(`${said}\nThe answer is kept until the run goes on: attractor resume ${name}\n`);
        return exitCode.ok;
      case 'waiting':
        io.stdout.write(
          `${said}\nThe answer is left for the process that executes the run; it has not been taken yet.\n`,
        );
        return exitCode.ok;
    }
  },
};

/** Which question an answer is for: `gate=A` names it; where only one is open, `A` will do. */
function chooseQuestion(
  open: readonly Question[],
  given: string,
): { readonly question: Question; readonly typed: string } {
  const split = given.indexOf('=');
  const named = split < 1 ? undefined : given.slice(0, split).trim();
  const question = open.find(({ stage, id }) => stage === named || id === named);
  if (question !== undefined) return { question, typed: given.slice(split + 1) };
  const [only] = open;
  if (only !== undefined && open.length === 1) return { question: only, typed: given };
  const stages = [...new Set(open.map(({ stage }) => stage))].join(', ');
  throw new UsageError(
    `several questions are open (${stages}); say which one is meant, as in \`${open[0]?.stage}=${given}\``,
  );
}

async function fitsNothing(question: Question, typed: string): Promise<string> {
  const choices = question.options.map(describeChoice).join(', ');
  if (choices !== '') return `"${typed}" is no answer to "${question.stage}", which offers: ${choices}`;
  const { expectedAnswer } = await import('../../interviewers/question-text.js');
  return `"${typed}" is no answer to "${question.stage}"; answer with ${expectedAnswer(question)}`;
}

async function nothingOpen(name: string, directory: string): Promise<string> {
  const { summarizeRun } = await import('../../engine/runtime/summarize-run.js');
  return `no question of ${name} is open (the run is ${summarizeRun(directory).status})`;
}
