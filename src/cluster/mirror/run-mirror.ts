import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../handlers/error-category.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import type { StageWorkers } from '../../view/active-stage.js';
import { isOver } from '../../view/run-status.js';
import type { ClusterRun } from '../cluster.js';
import type { HistoricRun } from '../run-history.js';
import { lockOwnerOf } from './carrier-lock.js';
import { DirectoryCopy } from './directory-copy.js';
import { Relay } from './relay.js';

/** Milliseconds between two looks at the database. */
const lookMs = 200;
/** Milliseconds without an answer of the database after which the mirror says so. */
const noticeMs = 5000;
/** Milliseconds without an answer of the database after which a command gives up. */
const usualPatienceMs = 60_000;

export interface MirrorOptions {
  readonly onNotice: (notice: string) => void;
  /** Milliseconds without an answer of the database after which the mirror gives up; Infinity to wait for as long as it takes. */
  readonly patienceMs?: number;
}

/**
 * Directory on this machine that is kept like the run of a cluster: its history comes in, and what is left there for the process that
 * executes the run goes out as a message. Whatever works on the directory of a run works on it, with the same words.
 */
export class RunMirror {
  readonly run: ClusterRun;
  readonly directory: string;
  /** Rejects when the database no longer answers. */
  readonly broken: Promise<never>;
  readonly #options: MirrorOptions;
  readonly #copies = new Map<string, DirectoryCopy>();
  readonly #relay: Relay;
  readonly #closing = new AbortController();
  #break: (error: Error) => void = () => undefined;
  #following: Promise<void> | undefined;
  /** Last event in the directory. */
  #writtenSeq = 0;

  private constructor(run: ClusterRun, directory: string, options: MirrorOptions) {
    this.run = run;
    this.directory = directory;
    this.#options = options;
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    // Whoever does not wait for it is not interested.
    this.broken.catch(() => undefined);
    this.#relay = new Relay(run, directory, (error) => this.#giveUp(messageOf(error)));
  }

  /**
   * Mirrors a run, as it was when it was read last. It follows the run until it is closed.
   * @throws RunError `storage` if the directory cannot be written
   */
  static open(run: ClusterRun, directory: string, options: MirrorOptions): RunMirror {
    const mirror = new RunMirror(run, directory, options);
    try {
      mirror.#write();
    } catch (error) {
      const what = describeSystemError(error);
      throw new RunError('storage', `the run cannot be copied to ${directory}: ${what}`, { cause: error });
    }
    mirror.#following = mirror.#follow();
    return mirror;
  }

  /** Has the directory say what was read of the run: somebody else has read it who knows more than the last look. */
  update(): void {
    this.#write();
  }

  /** Passes on what was left in the directory last, and ends. */
  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) await Promise.race([this.#relay.close(), this.broken]);
    this.#closing.abort();
    await Promise.race([this.#following, this.broken]);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#isComplete) continue;
      try {
        await this.#refresh();
        this.#write();
      } catch (error) {
        return this.#giveUp(messageOf(error));
      }
    }
  }

  /** True if nothing comes unless the run is resumed: whoever resumes it reads what is new, perhaps to its next end. */
  get #isComplete(): boolean {
    const { carrier, history } = this.run;
    return carrier.kind === 'over' && history.isOver && history.view.seq === this.#writtenSeq;
  }

  /** Reads what is new; the client of the database tries again by itself, for as long as it lasts. */
  async #refresh(): Promise<void> {
    const { onNotice, patienceMs = usualPatienceMs } = this.#options;
    const begun = performance.now();
    let isSaid = false;
    const waiting = setInterval(() => {
      const passed = performance.now() - begun;
      if (!isSaid) onNotice('the database does not answer; waiting for it');
      isSaid = true;
      if (passed >= patienceMs) this.#giveUp(`it has not answered for ${patienceMs / 1000} s`);
      // A worker that cannot record anything has the run all the same.
      else this.#write();
    }, noticeMs);
    try {
      await Promise.race([this.run.refresh(), this.broken]);
      if (isSaid) onNotice('the database answers again');
    } finally {
      clearInterval(waiting);
    }
  }

  #write(): void {
    const { history, stageWorkers } = this.run;
    const owner = lockOwnerOf(this.run);
    this.#relay.settle();
    let hasNews = this.#copyOf('').write(history.run, owner, workersIn(stageWorkers, ''));
    for (const [place, child] of history.children) {
      const workers = workersIn(stageWorkers, `${child.view.runId}/`);
      const isLonger = this.#copyOf(place).write(child, hasEnded(child) ? undefined : owner, workers);
      hasNews ||= isLonger;
    }
    this.#writtenSeq = history.view.seq;
    this.#relay.look(hasNews);
  }

  #copyOf(place: string): DirectoryCopy {
    const known = this.#copies.get(place);
    if (known !== undefined) return known;
    const copy = new DirectoryCopy(path.join(this.directory, place));
    this.#copies.set(place, copy);
    return copy;
  }

  #giveUp(problem: string): void {
    this.#closing.abort();
    this.#break(new RunError('storage', `the database of the run cannot be used: ${problem}`));
  }
}

/** Workers of the stages of one run. @param prefix of their names */
function workersIn(workers: StageWorkers, prefix: string): StageWorkers {
  const own = [...workers].flatMap(([name, worker]) => {
    const key = name.slice(prefix.length);
    return name.startsWith(prefix) && !key.includes('/') ? [[key, worker] as const] : [];
  });
  return new Map(own);
}

function hasEnded({ view }: HistoricRun): boolean {
  return isOver(view.status);
}
