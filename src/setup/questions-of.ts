import path from 'node:path';
import type { Question } from '../machine/interview.js';
import { nameInParent, questionOfChild } from '../run/questions/child-interviewer.js';
import { hasAnswer } from '../run/questions/question-files.js';
import { runFiles } from '../run-directory/run-files.js';
import { runOwner } from '../run-directory/run-requests.js';
import type { OpenQuestion } from '../view/active-stage.js';
import type { ChildOverview } from '../view/child-overview.js';
import type { ExecutingProcess, RunOverview } from '../view/run-overview.js';

/** Question of a run, or of one that its stages have started, which waits for an answer. */
export interface AskedQuestion {
  /** Name for an answer: the stage; `<node>/<stage>` in the run that a node has started. */
  readonly name: string;
  /** Question as it can be answered in `directory`. */
  readonly question: Question;
  /** Run directory in which an answer is expected. */
  readonly directory: string;
  /** Question of the run that asks, and its directory. */
  readonly origin: { readonly directory: string; readonly question: OpenQuestion };
  /** True if an answer was written that no process has taken yet. */
  readonly isAnswered: boolean;
  /** True if a process is running that may take an answer. */
  readonly isLive: boolean;
}

/**
 * Open questions of a run and of those below it, with or without a process that executes them (SEMANTICS
 * 87).
 */
export function questionsOf(overview: RunOverview): readonly AskedQuestion[] {
  const { run_dir: directory, process: owner, questions, child_runs: children } = overview;
  return collect({ directory, executor: owner, questions, children }).map((asked) => ({
    ...asked,
    isAnswered: hasAnswer(path.join(asked.directory, runFiles.questions), asked.question.id),
    isLive: runOwner(asked.directory) !== undefined,
  }));
}

type LocatedQuestion = Omit<AskedQuestion, 'isAnswered' | 'isLive'>;

type Executor = Pick<ExecutingProcess, 'pid' | 'host'>;

interface AskingRun {
  readonly directory: string;
  /** Process that executes the run. */
  readonly executor: Executor | null;
  readonly questions: readonly OpenQuestion[];
  readonly children: readonly ChildOverview[];
}

function collect(place: AskingRun): readonly LocatedQuestion[] {
  const { directory, questions, children } = place;
  const own = questions.map((question) => {
    return { name: question.stage, question, directory, origin: { directory, question } };
  });
  const below = children.flatMap((child) => {
    const { run_dir, questions: asked, child_runs } = child;
    const executor = executorOf(child);
    const found = collect({ directory: run_dir, executor, questions: asked, children: child_runs });
    return found.map((one) => calledFrom(place, child, one));
  });
  return [...own, ...below];
}

/** Question of a child, asked through the run above, unless the child was resumed by itself. */
function calledFrom(above: AskingRun, child: ChildOverview, found: LocatedQuestion): LocatedQuestion {
  const named = { ...found, name: nameInParent(child.node_id, found.name) };
  const executor = executorOf(child);
  const isByItself =
    executor !== null && (executor.pid !== above.executor?.pid || executor.host !== above.executor.host);
  if (isByItself || found.directory !== child.run_dir) return named;
  const question = questionOfChild(found.question, child.node_id, child.run_id);
  return { ...named, question, directory: above.directory };
}

function executorOf({ pid, host }: ChildOverview): Executor | null {
  return pid === null ? null : { pid, host };
}
