import { onAbort } from '../abort/abort.js';
import type { Program } from '../graph/program.js';
import type { RunEvent } from '../machine/event.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import type { Question } from '../machine/interview.js';
import { initialState, type RunState } from '../machine/state.js';
import { runRedactor } from '../run/driver/run-redactor.js';
import { answerAsTyped } from '../run/questions/match-answer.js';
import type { CommonRunOptions } from '../run/run-options.js';
import { openQuestions } from '../view/active-stages.js';
import { type RunResult, resultOf } from '../view/run-result.js';
import type { ClusterRun, UnsentMessage } from './cluster.js';

/** Ports of a caller that watches a run. */
type Watcher = Pick<
  CommonRunOptions,
  'onEvent' | 'onNotice' | 'interviewer' | 'secrets' | 'signal' | 'pauseSignal'
>;

/** Milliseconds between two looks at the database. */
const lookMs = 200;
/** Looks at a run that has ended until its worker is done with it, and at one that rests: what an interrupted reply has cost comes late. */
const lastLooks = { over: 50, resting: 2 };

/**
 * Follows a run until it ends or rests, as if this process executed it: its events are reported, its questions are asked, and signals
 * reach it as messages.
 * @param after number of the last event that is not reported
 */
export async function followRun(
  run: ClusterRun,
  program: Program,
  watcher: Watcher,
  after = 0,
): Promise<RunState> {
  const { history } = run;
  const asking = new Map<string, AbortController>();
  const releases = [
    onAbort(watcher.signal, () => stop(run, { kind: 'cancel' }, watcher)),
    onAbort(watcher.pauseSignal, () =>
      stop(run, { kind: 'pause', mode: 'after_stage', reason: 'interrupted' }, watcher),
    ),
  ];
  let reported = after;
  let looks = 0;
  let lastWorker = workerOf(run);
  try {
    for (;;) {
      const { events } = history.run;
      for (const event of events.slice(reported)) void watcher.onEvent?.(event);
      reported = events.length;
      askOpenQuestions(run, watcher, asking);
      if (history.isOver && (run.carrier.kind !== 'worker' || looks >= lastLooks.over)) break;
      if (history.rests && looks >= lastLooks.resting) break;
      looks = history.isOver || history.rests ? looks + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, lookMs));
      await run.refresh();
      const worker = workerOf(run);
      if (worker === undefined || worker === lastWorker) continue;
      if (lastWorker !== undefined)
        watcher.onNotice?.(`the run continues on ${worker}; ${lastWorker} had it before`);
      lastWorker = worker;
    }
  } finally {
    for (const release of releases) release?.();
    for (const controller of asking.values()) controller.abort();
  }
  if (history.problem !== undefined) watcher.onNotice?.(history.problem);
  return evolveAll(program, initialState, history.run.events, misfit);
}

/** Result of a run that was followed until it ended or rests; one that a worker has stopped, perhaps before its first event, is paused. */
export function resultOfFollowed(
  { history, submittedAt }: Pick<ClusterRun, 'history' | 'submittedAt'>,
  state: RunState,
  directory: string,
): RunResult {
  const { runId } = history.submission;
  const begun = state.status === 'created' ? { ...state, runId, startedAt: submittedAt } : state;
  const isStopped = begun.status === 'created' || begun.status === 'running';
  const rested: RunState = isStopped ? { ...begun, status: 'paused', pausedReason: history.problem } : begun;
  return resultOf(rested, directory, Date.now());
}

function workerOf({ carrier }: ClusterRun): string | undefined {
  return carrier.kind === 'worker' ? carrier.id : undefined;
}

/** Stops a run by a message, with which it deals only when a worker has it. */
function stop(
  run: ClusterRun,
  message: UnsentMessage & { readonly kind: 'cancel' | 'pause' },
  { onNotice }: Watcher,
): void {
  void run.send(message);
  const done = message.kind === 'pause' ? 'paused' : 'cancelled';
  if (run.carrier.kind === 'queue')
    onNotice?.(`no worker has the run now; it is ${done} as soon as one takes it`);
}

function misfit(event: RunEvent, error: unknown): never {
  throw new Error(`the event ${event.seq} of the run does not fit`, { cause: error });
}

/** Asks what is open now, and withdraws what is not any more. */
function askOpenQuestions(run: ClusterRun, watcher: Watcher, asking: Map<string, AbortController>): void {
  const open = new Map(openQuestions(run.history.view).map((question) => [question.id, question]));
  for (const [id, controller] of asking) if (!open.has(id)) controller.abort();
  for (const [id, question] of open) {
    if (asking.has(id)) continue;
    const controller = new AbortController();
    asking.set(id, controller);
    void ask(question, run, watcher, controller.signal);
  }
}

async function ask(
  question: Question,
  run: ClusterRun,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const answer = await watcher.interviewer?.ask(question, signal).catch(() => undefined);
  if (answer === undefined || signal.aborted) return;
  const { text } = runRedactor(watcher.secrets);
  await run.send({ kind: 'answer', question: question.id, answer: text(answerAsTyped(question, answer)) });
}
