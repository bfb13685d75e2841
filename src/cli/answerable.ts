import path from 'node:path';
import type { AskedQuestion } from '../setup/questions-of.js';
import type { OpenQuestion } from '../view/active-stage.js';
import type { ChildOverview } from '../view/child-overview.js';
import type { RunOverview } from '../view/run-overview.js';

/** An open question as `status --json` prints it. */
interface AnswerableQuestion extends Omit<OpenQuestion, 'metadata'> {
  /** Name for `attractor answer` in the run of this status, which means this question alone. */
  readonly answer_as: string;
  /** True if an answer was written that no process has taken yet. */
  readonly answered: boolean;
}

/** A status with the known answers to its own questions and to those of the runs below (SEMANTICS 87). */
export function answerable(overview: RunOverview, asked: readonly AskedQuestion[]) {
  const known = new Map(asked.map((one) => [keyOf(one.origin.directory, one.origin.question), one]));
  const shown = (directory: string, question: OpenQuestion): AnswerableQuestion => {
    const { metadata: _metadata, ...rest } = question;
    const found = known.get(keyOf(directory, question));
    return { ...rest, answer_as: found?.answerAs ?? question.stage, answered: found?.isAnswered === true };
  };
  const childOf = (child: ChildOverview): object => ({
    ...child,
    questions: child.questions.map((question) => shown(child.run_dir, question)),
    child_runs: child.child_runs.map(childOf),
  });
  return {
    ...overview,
    questions: overview.questions.map((question) => shown(overview.run_dir, question)),
    child_runs: overview.child_runs.map(childOf),
  };
}

function keyOf(directory: string, { id }: OpenQuestion): string {
  return JSON.stringify([path.resolve(directory), id]);
}
