import path from 'node:path';
import type { Question } from '../machine/interview.js';
import { nameInParent, questionOfChild } from '../run/questions/child-interviewer.js';
import { hasAnswer } from '../run/questions/question-files.js';
import { runFiles } from '../run-directory/run-files.js';
import { runOwner } from '../run-directory/run-requests.js';
import type { ActiveStage, OpenQuestion } from '../view/active-stage.js';
import type { ChildOverview } from '../view/child-overview.js';
import { itemsOf } from '../view/enclosing-items.js';
import type { ExecutingProcess, RunOverview } from '../view/run-overview.js';

/** Question of a run, or of one that its stages have started, which waits for an answer. */
export interface AskedQuestion {
  /** Name for an answer: the stage; `<node>/<stage>` in the run that a node has started. */
  readonly name: string;
  /** Name for an answer that means this question alone: its id, if others have the same name. */
  readonly answerAs: string;
  /** Its name with the numbers of the items of lists, as in `gate#2`; the same as the name where there are none. */
  readonly itemName: string;
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
  const { run_dir: directory, process: owner, questions, stages, child_runs: children } = overview;
  const found = collect({ directory, executor: owner, questions, stages, children });
  const named = new Map<string, number>();
  for (const { name } of found) named.set(name, (named.get(name) ?? 0) + 1);
  return found.map((asked) => ({
    ...asked,
    answerAs: named.get(asked.name) === 1 ? asked.name : asked.question.id,
    isAnswered: hasAnswer(path.join(asked.directory, runFiles.questions), asked.question.id),
    isLive: runOwner(asked.directory) !== undefined,
  }));
}

type LocatedQuestion = Omit<AskedQuestion, 'answerAs' | 'isAnswered' | 'isLive'>;

type Executor = Pick<ExecutingProcess, 'pid' | 'host'>;

interface AskingRun {
  readonly directory: string;
  /** Process that executes the run. */
  readonly executor: Executor | null;
  readonly questions: readonly OpenQuestion[];
  readonly stages: readonly Pick<ActiveStage, 'node_id' | 'branch'>[];
  readonly children: readonly ChildOverview[];
}

function collect(place: AskingRun): readonly LocatedQuestion[] {
  const { directory, questions, children } = place;
  const own = questions.map((question) => {
    const { stage: name, branch } = question;
    const itemName = `${name}${itemsOf(branch ?? undefined)}`;
    return { name, itemName, question, directory, origin: { directory, question } };
  });
  const below = children.flatMap((child) => {
    const { run_dir, questions: asked, stages, child_runs } = child;
    const executor = executorOf(child);
    const found = collect({ directory: run_dir, executor, questions: asked, stages, children: child_runs });
    return found.map((one) => calledFrom(place, child, one));
  });
  return [...own, ...below];
}

/** Question of a child, asked through the run above, unless the child was resumed by itself. */
function calledFrom(above: AskingRun, child: ChildOverview, found: LocatedQuestion): LocatedQuestion {
  const named = {
    ...found,
    name: nameInParent(child.node_id, found.name),
    itemName: nameInParent(`${child.node_id}${itemsOfChild(above, child)}`, found.itemName),
  };
  const executor = executorOf(child);
  const isByItself =
    executor !== null && (executor.pid !== above.executor?.pid || executor.host !== above.executor.host);
  if (isByItself || found.directory !== child.run_dir) return named;
  const question = questionOfChild(found.question, child.node_id, child.run_id);
  return { ...named, question, directory: above.directory };
}

/** Numbers of the items for which a stage runs a child: its directory has them, but also those of other branches. */
function itemsOfChild({ directory, stages }: AskingRun, { node_id: nodeId, run_dir }: ChildOverview): string {
  const parts = path.relative(directory, run_dir).split(path.sep);
  const numbers = parts.flatMap((part) => /^branch-([0-9]+)$/.exec(part)?.[1] ?? []);
  const items = `#${numbers.join('.')}`;
  const isOfItems = stages.some(
    ({ node_id, branch }) => node_id === nodeId && itemsOf(branch ?? undefined) === items,
  );
  return isOfItems ? items : '';
}

function executorOf({ pid, host }: ChildOverview): Executor | null {
  return pid === null ? null : { pid, host };
}
