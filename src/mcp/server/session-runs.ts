import path from 'node:path';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { messageOf } from '../../handlers/error-category.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun } from '../../run-directory/run-files.js';
import type { OpenQuestionJson } from '../../server/api/question.js';
import type { RunRegistry } from '../../server/runs/run-registry.js';
import { runIdsIn } from '../../setup/find-run.js';
import { newestRunIn } from '../../setup/newest-run.js';
import type { Log } from '../../telemetry/log.js';
import type { ServedRuns } from '../tools/served-runs.js';
import type { RunHome } from './run-home.js';

/** Asks a person a question. @returns the answer in words; undefined if the person gives none */
export type AskPerson = (question: OpenQuestionJson, signal: AbortSignal) => Promise<string | undefined>;

/** Milliseconds between two looks at the questions of a run. */
const lookMs = 200;

/** Runs as one client sees them. */
export class SessionRuns implements ServedRuns {
  readonly #home: RunHome;
  readonly #ask: AskPerson | undefined;
  readonly #log: Log;
  /** Runs whose questions a person is asked, with the questions that were left open. */
  readonly #watched = new Map<string, Set<string>>();
  readonly #ended = new AbortController();

  /** @param ask undefined if the client cannot ask a person */
  constructor(home: RunHome, ask: AskPerson | undefined, log: Log) {
    this.#home = home;
    this.#ask = ask;
    this.#log = log;
  }

  directory(id: string): string {
    const { directory: home } = this.#home;
    if (/^\w[\w.-]*$/.test(id) && holdsRun(path.join(home, id))) return path.join(home, id);
    throw new RunError(
      'run_not_found',
      `there is no run ${JSON.stringify(id)}${didYouMean(id, runIdsIn(home))}; status without an id shows the newest`,
    );
  }

  newest(): string {
    return path.basename(newestRunIn(this.#home.directory));
  }

  submit(submission: Parameters<ServedRuns['submit']>[0]): ReturnType<ServedRuns['submit']> {
    return this.#home.use((registry) => registry.submit(submission));
  }

  resume(id: string, request: Parameters<ServedRuns['resume']>[1]): ReturnType<ServedRuns['resume']> {
    this.directory(id);
    return this.#home.use((registry) => registry.resume(id, request));
  }

  cancel(id: string): ReturnType<ServedRuns['cancel']> {
    this.directory(id);
    return this.#home.use((registry) => registry.cancel(id));
  }

  askPeople(id: string): void {
    const ask = this.#ask;
    if (ask === undefined || this.#watched.has(id)) return;
    this.#watched.set(id, new Set());
    this.#home
      .use((registry) => this.#watch(id, registry, ask))
      .catch((error: unknown) => this.#log.write('warning', messageOf(error), { run: id }))
      .finally(() => this.#watched.delete(id));
  }

  isAsking(id: string, question: string): boolean {
    return this.#watched.get(id)?.has(question) === false;
  }

  /** Asks nobody any more. */
  end(): void {
    this.#ended.abort();
  }

  /** Asks each question once, until the run has stopped. */
  async #watch(id: string, registry: RunRegistry, ask: AskPerson): Promise<void> {
    const asked = new Set<string>();
    const asking = new Map<string, AbortController>();
    while (!this.#ended.signal.aborted && isUnderWay(registry, id)) {
      const open = registry.questions(id).filter(({ answered }) => !answered);
      for (const [question, stop] of asking) if (!open.some((one) => one.id === question)) stop.abort();
      for (const question of open) {
        if (asked.has(question.id)) continue;
        asked.add(question.id);
        void this.#askOne(id, question, registry, ask, asking);
      }
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    for (const stop of asking.values()) stop.abort();
  }

  async #askOne(
    id: string,
    question: OpenQuestionJson,
    registry: RunRegistry,
    ask: AskPerson,
    asking: Map<string, AbortController>,
  ): Promise<void> {
    const stop = new AbortController();
    asking.set(question.id, stop);
    try {
      const words = await ask(question, AbortSignal.any([stop.signal, this.#ended.signal]));
      // Without an answer the question stays open, and the tool `answer` answers it.
      if (words === undefined) this.#watched.get(id)?.add(question.id);
      else await registry.answer(id, question.id, words);
    } catch (error) {
      if (stop.signal.aborted || this.#ended.signal.aborted) return;
      this.#watched.get(id)?.add(question.id);
      this.#log.write('warning', messageOf(error), { run: id });
    } finally {
      asking.delete(question.id);
    }
  }
}

function isUnderWay(registry: RunRegistry, id: string): boolean {
  const { status } = registry.detail(id);
  return status === 'running' || status === 'queued';
}
