import path from 'node:path';
import type {
  AttemptElsewhere,
  BegunAttempt,
  StagesElsewhere,
} from '../../run/elsewhere/stages-elsewhere.js';
import { KeptReports } from './kept-reports.js';
import { SpreadAttempt, type SpreadOptions } from './spread-attempt.js';
import type { StageReport } from './stage-queue.js';
import { stopStages } from './stop-stages.js';

/** Milliseconds between two looks for attempts that the engine has given up. */
const lookMs = 5000;

/** Attempts of stages that other workers perform for a run on the worker that drives it. */
export class SpreadStages {
  readonly #options: SpreadOptions;
  /** Attempts that the run waits for, by the id of their latest try. */
  readonly #attempts = new Map<string, SpreadAttempt>();
  readonly #kept = new KeptReports();
  readonly #closing = new AbortController();
  #isListening = false;
  #ready: Promise<void> = Promise.resolve();

  constructor(options: SpreadOptions) {
    this.#options = options;
  }

  /** Port for the driver of the run. */
  get ofRun(): StagesElsewhere {
    return this.#at('', false);
  }

  /** Stops what a worker before this one has left under way, because the run rests. What begins after that waits for it. */
  stopLeft(): void {
    const { queue, history } = this.#options;
    // What does not get the order now ends by itself.
    this.#ready = stopStages(queue, history).catch(() => undefined);
  }

  /** Forgets reports that nobody needs any more, after something was recorded. */
  recorded(): void {
    this.#forget(this.#kept.takeNeedless(this.#options.history.reports));
  }

  /** The run is over: nobody needs a report. */
  end(): void {
    this.#forget(this.#kept.takeAll());
    this.close();
  }

  /** Waits for nothing any more. Whoever continues the run gets the reports again that are not forgotten. */
  close(): void {
    this.#closing.abort(new Error('the run continues elsewhere, or has ended'));
    for (const attempt of [...this.#attempts.values()]) attempt.leave();
    this.#options.queue.close();
  }

  #at(place: string, takesMainLine: boolean): StagesElsewhere {
    const { directory } = this.#options;
    return {
      takesMainLine,
      begin: (attempt) => this.#begin(place, attempt),
      below: (child, isInBranch) => {
        const below = path.relative(path.resolve(directory), path.resolve(child)).split(path.sep).join('/');
        return this.#at(below, takesMainLine || isInBranch);
      },
    };
  }

  #begin(place: string, attempt: AttemptElsewhere): BegunAttempt {
    if (!this.#isListening) void this.#listen();
    this.#isListening = true;
    const begun = new SpreadAttempt(this.#options, place, attempt, {
      ready: this.#ready,
      onTry: (id, former) => {
        if (former !== undefined) this.#leave(former, true);
        this.#attempts.set(id, begun);
        return this.#kept.begin(id);
      },
      onEnd: (id, isOver) => this.#leave(id, isOver),
    });
    return begun;
  }

  /** Nobody waits for a try any more. */
  #leave(id: string, isOver: boolean): void {
    this.#attempts.delete(id);
    if (isOver) this.#kept.giveUp(id);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    // A worker that leaves must end.
    const look = setInterval(() => void this.#lookForLost().catch(nextLook), lookMs).unref();
    try {
      for (;;) for (const report of await this.#options.queue.reports(signal)) this.#receive(report);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(look);
    }
  }

  #receive(report: StageReport): void {
    this.#kept.add(report);
    this.#attempts.get(report.stage)?.receive(report);
  }

  #forget(ids: readonly string[]): void {
    if (ids.length > 0) this.#options.queue.forget(ids);
  }

  async #lookForLost(): Promise<void> {
    const waiting = [...this.#attempts.keys()];
    if (waiting.length === 0) return;
    for (const { stage, problem } of await this.#options.queue.lost(waiting))
      this.#attempts.get(stage)?.lose(problem);
  }
}

/** The database is asked again. */
function nextLook(): void {}
