import { messageOf } from '../../handlers/error-category.js';
import type { RunEvent } from '../../machine/event.js';
import { holdsRun } from '../../run-directory/run-files.js';
import { runOwner } from '../../run-directory/run-requests.js';
import { redactorOf } from '../../setup/keys.js';
import { activeVisits, waitsForPeople } from '../../view/active-stages.js';
import { readView } from '../../view/read-view.js';
import { overviewStatus } from '../../view/run-overview.js';
import { stepsOf } from '../../view/run-status.js';
import type { AnsweredQuestion, OpenQuestionJson } from '../api/question.js';
import type {
  AcceptedRun,
  ForkRequest,
  PauseRequestBody,
  Resumption,
  RunDetail,
  RunList,
  RunListEntry,
  RunStatusName,
  Submission,
} from '../api/run.js';
import {
  answerByFile,
  describeAnswer,
  questionsOfOther,
  questionsOfOwn,
  unfitAnswer,
} from './answer-question.js';
import { followRun } from './follow-run.js';
import { forkRun } from './fork-run.js';
import type { OwnRun } from './own-run.js';
import { problemOf, withProblems } from './problem-of.js';
import { asQueued } from './run-details.js';
import { serverStopped } from './run-executor.js';
import { usageFields } from './run-index.js';
import type { RunParts } from './run-parts.js';
import type { RunCounts, RunEventsOptions, RunListQuery, RunRegistry } from './run-registry.js';
import { selectRuns } from './select-runs.js';
import { readMark, readWaiting } from './server-files.js';
import { lettingGo, resumeRun, submitRun } from './start-runs.js';
import { cancelRun, pauseRun } from './steer-runs.js';

/** The runs in a home on this machine (§9.5). */
export class LocalRuns implements RunRegistry {
  readonly #parts: RunParts;
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(parts: RunParts, close: () => Promise<void>) {
    this.#parts = parts;
    this.#close = close;
  }

  list(query: RunListQuery): RunList {
    return selectRuns(this.#entries(), query);
  }

  submit(submission: Submission): Promise<AcceptedRun> {
    return submitRun(this.#parts, submission);
  }

  detail(id: string): RunDetail {
    const { executor, details } = this.#parts;
    const own = executor.own(id);
    if (own !== undefined) return details.ofOwn(own);
    const directory = this.directory(id);
    return this.#unstarted(id, directory) ?? inWords(() => details.ofOther(id, directory));
  }

  detailText(id: string): string {
    const { executor, details } = this.#parts;
    const own = executor.own(id);
    if (own !== undefined) return details.textOfOwn(own);
    const latest = executor.queue.has(id) ? undefined : details.latestTextOf(id);
    if (latest !== undefined) return latest;
    const directory = this.directory(id);
    const known = executor.queue.has(id) ? undefined : details.knownTextOf(id, directory);
    if (known !== undefined) return known;
    const unstarted = this.#unstarted(id, directory);
    if (unstarted !== undefined) return JSON.stringify(unstarted);
    return inWords(() => details.textOfOther(id, directory));
  }

  events(id: string, options: RunEventsOptions): AsyncIterable<RunEvent> {
    const { executor, closing } = this.#parts;
    return followRun({ id, directory: this.directory(id), executor, closing }, options);
  }

  cancel(id: string): Promise<AcceptedRun> {
    return cancelRun(this.#parts, id);
  }

  pause(id: string, request: PauseRequestBody): Promise<AcceptedRun> {
    return pauseRun(this.#parts, id, request);
  }

  resume(id: string, request: Resumption): Promise<AcceptedRun> {
    return resumeRun(this.#parts, id, request);
  }

  fork(id: string, request: ForkRequest): Promise<AcceptedRun> {
    return forkRun(this.#parts, id, request);
  }

  questions(id: string): readonly OpenQuestionJson[] {
    const own = this.#parts.executor.own(id);
    if (own !== undefined) return questionsOfOwn(own);
    const directory = this.directory(id);
    return holdsRun(directory) ? inWords(() => questionsOfOther(directory, this.#parts.now())) : [];
  }

  async answer(id: string, question: string, text: string): Promise<AnsweredQuestion> {
    const { executor, surroundings, now } = this.#parts;
    const directory = this.directory(id);
    await lettingGo(this.#parts, id);
    // Undefined where the run could not begin, and of one that this server does not execute.
    const execution = await executor.own(id)?.execution();
    const receipt = await withProblems(async () => execution?.answer(question, text));
    if (receipt?.kind === 'taken') return describeAnswer(receipt.answer, 'taken');
    if (receipt?.kind === 'unfit') throw unfitAnswer(receipt.question, text);
    // A question that only the directory knows is answered there: of another process, or of a child that is yet to continue.
    const redactor = redactorOf(surroundings.keyring);
    const answered = await withProblems(() => answerByFile(directory, question, text, redactor, now()));
    if (answered.delivery === 'kept') await this.#goOnAnswered(id, directory);
    return answered;
  }

  directory(id: string): string {
    return this.#parts.executor.own(id)?.directory ?? this.#parts.index.directoryOf(id);
  }

  onRunEvent(listener: (event: RunEvent) => void): () => void {
    return this.#parts.executor.onRunEvent(listener);
  }

  counts(): RunCounts {
    const { executor } = this.#parts;
    const byStatus = new Map<RunStatusName, number>();
    for (const { status } of this.#entries()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const { waitingForPeople } = executor;
    return { running: executor.running.length, waitingForPeople, queued: executor.queue.length, byStatus };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #entries(): readonly RunListEntry[] {
    const { executor, index } = this.#parts;
    const others = index.entries((id) => executor.own(id) !== undefined);
    const known = others.map((entry) => {
      return executor.queue.has(entry.id) ? { ...entry, status: 'queued' as const } : entry;
    });
    return [...executor.running.map(entryOfOwn), ...known];
  }

  /** A run that waits in the queue, or never came to begin; undefined for any other. */
  #unstarted(id: string, directory: string): RunDetail | undefined {
    const { executor, details } = this.#parts;
    const position = executor.queue.positionOf(id);
    if (holdsRun(directory)) {
      if (position === undefined) return undefined;
      return asQueued(
        inWords(() => details.ofOther(id, directory)),
        position,
      );
    }
    const waiting = readWaiting(directory);
    if (waiting?.kind !== 'start') return undefined;
    if (waiting.refused !== undefined) return details.ofRefused(id, directory, waiting);
    return details.ofQueued(id, directory, waiting, position ?? 0);
  }

  /** Resumes a run of this server after an answer, unless a person has paused it. */
  async #goOnAnswered(id: string, directory: string): Promise<void> {
    const { log } = this.#parts.surroundings;
    try {
      if (readMark(directory) === undefined || !waitsForAnswer(directory)) return;
      await this.resume(id, {});
    } catch (error) {
      log.write('warning', `the run was answered, but does not continue yet: ${messageOf(error)}`, {
        run: id,
      });
    }
  }
}

/** True if no person stopped it. */
function waitsForAnswer(directory: string): boolean {
  const view = readView(directory);
  const status = overviewStatus(view, runOwner(directory));
  if (status === 'interrupted') return true;
  return status === 'paused' && (view.pausedAt !== undefined || view.pausedReason === serverStopped);
}

function entryOfOwn(run: OwnRun): RunListEntry {
  const { id, manifest, view } = run;
  const status = overviewStatus(view, run.owner);
  const isOver = view.endedAt !== undefined && status !== 'running';
  const begunAt = view.startedAt ?? manifest.start_time;
  return {
    id,
    name: manifest.name,
    goal: manifest.goal,
    status,
    simulated: manifest.options.simulate,
    start_time: manifest.start_time,
    duration_ms: isOver ? Date.parse(view.endedAt ?? begunAt) - Date.parse(begunAt) : null,
    current_node: activeVisits(view).at(-1)?.nodeId ?? view.lastSettled ?? null,
    steps: stepsOf(view),
    ...usageFields(view.usage.total),
    open_questions: questionsOfOwn(run).length,
    only_asks: waitsForPeople(view),
    failure_reason: view.failure?.reason ?? null,
  };
}

/** Runs some work, and converts its errors to the words of the API. */
function inWords<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw problemOf(error);
  }
}
