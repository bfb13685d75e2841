import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { isThisProcess } from '../../run-directory/lock.js';
import { readManifest } from '../../run-directory/manifest.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { type RunOwner, runOwner } from '../../run-directory/run-requests.js';
import { emptyView } from '../../view/fold/run-view.js';
import { GrowingView } from '../../view/growing-view.js';
import { type OverviewSource, overviewFrom, overviewOf, type RunOverview } from '../../view/run-overview.js';
import type { RunAction, RunDetail, RunStatusName } from '../api/run.js';
import type { OwnRun } from './own-run.js';
import { coarseGrain } from './run-index.js';
import { refusedResumption, type WaitingStart } from './server-files.js';

/** Facts about runs that depend on who executes them. */
export interface RunWords {
  /** Actions that a run allows in a status. */
  actionsIn(status: RunStatusName): readonly RunAction[];
  /** Reason why a run does not continue that no process executes, if its journal does not have it. */
  problemOf(directory: string): string | undefined;
  /** Thing that a queued run waits for besides its turn, as the end of a sentence. */
  awaitedBy(directory: string): string | undefined;
}

/** Cached details, with the parts that take long to compute, and the time of the run so far. */
interface CachedDetail {
  /** Key of everything that it depends on. */
  readonly key: string;
  /** All of it but `duration_ms`, as JSON. */
  readonly rest: string;
  /** All of it, once it takes no longer: the same text each time, which is known again faster. */
  readonly final: string | undefined;
  readonly startedAt: number;
  /** Time until which it is valid without another look; undefined if only the key matters. */
  readonly until: number | undefined;
}

/** Milliseconds for which details are valid that can change without a trace, such as those of child runs. */
const freshMs = 250;

/** Maximum of remembered runs that this server does not execute. */
const remembered = 100;

/**
 * Details of single runs (§9.5), cached until something changes, because they are requested again and
 * again.
 */
export class RunDetails {
  readonly #own = new WeakMap<OwnRun, CachedDetail>();
  readonly #others = new Map<string, CachedDetail>();
  /** Views of runs that other processes execute. */
  readonly #growing = new Map<string, GrowingView>();
  #latest: { readonly id: string; readonly response: CachedDetail } | undefined;
  readonly #now: () => number;
  readonly #words: RunWords;

  constructor(now: () => number, words: RunWords) {
    this.#now = now;
    this.#words = words;
  }

  ofOwn(run: OwnRun): RunDetail {
    const source = {
      directory: run.directory,
      manifest: run.manifest,
      view: run.view,
      owner: run.owner,
      isRequested: (kind: 'pause' | 'cancel') => run.isRequested(kind),
    };
    return this.#detailOf(run.id, overviewFrom(source, this.#now()), 'server');
  }

  textOfOwn(run: OwnRun): string {
    const now = this.#now();
    const key = String(run.version);
    const known = this.#own.get(run);
    if (known !== undefined && isTrue(known, key, now)) return textOf(known, now);
    const detail = this.ofOwn(run);
    const response = responseOf(detail, key, run.hasChildren || detail.child_runs.length > 0, now);
    this.#own.set(run, response);
    return textOf(response, now);
  }

  /** @param position in the queue */
  ofQueued(id: string, directory: string, waiting: WaitingStart, position: number): RunDetail {
    const overview = overviewFrom(queuedSource(id, directory, waiting), this.#now());
    const detail = { ...this.#detailOf(id, overview, null), status: 'queued', duration_ms: 0 } as const;
    return { ...detail, queue_position: position, actions: this.#words.actionsIn('queued') };
  }

  /** One that could not begin. */
  ofRefused(id: string, directory: string, waiting: WaitingStart): RunDetail {
    const overview = overviewFrom(queuedSource(id, directory, waiting), this.#now());
    const failure_reason = waiting.refused ?? null;
    return {
      ...this.#detailOf(id, overview, null),
      status: 'fail',
      failure_reason,
      duration_ms: 0,
      actions: [],
    };
  }

  ofOther(id: string, directory: string): RunDetail {
    const owner = runOwner(directory);
    const executor = owner === undefined ? null : isThisProcess(owner) ? 'server' : 'other';
    try {
      if (owner !== undefined)
        return this.#detailOf(id, this.#overviewOfLive(id, directory, owner), executor);
      this.#growing.delete(id);
      const detail = this.#detailOf(id, overviewOf(directory, this.#now()), executor);
      return { ...detail, failure_reason: this.#words.problemOf(directory) ?? detail.failure_reason };
    } catch (error) {
      if (!(error instanceof RunError) || error.code !== 'run_damaged') throw error;
      return this.#damaged(id, directory, error.message);
    }
  }

  #damaged(id: string, directory: string, why: string): RunDetail {
    const now = this.#now();
    const start_time = new Date(statOf(directory)?.birthtimeMs ?? now).toISOString();
    const options = { simulate: false, auto_approve: false };
    const manifest = { run_id: id, name: '', goal: '', start_time, options };
    const source = { directory, manifest, view: emptyView(), owner: undefined };
    const detail = this.#detailOf(id, overviewFrom(source, now), null);
    return {
      ...detail,
      status: 'damaged',
      failure_reason: why,
      duration_ms: 0,
      actions: this.#words.actionsIn('damaged'),
    };
  }

  #detailOf(id: string, overview: RunOverview, executedBy: RunDetail['executed_by']): RunDetail {
    const actions = this.#words.actionsIn(overview.status);
    const { status, run_dir: directory } = overview;
    const waits_for = status === 'queued' ? (this.#words.awaitedBy(directory) ?? null) : null;
    return { ...overview, id, queue_position: null, waits_for, executed_by: executedBy, actions };
  }

  /**
   * Overview of a run that another process executes: each event is read once, however often it is
   * requested.
   */
  #overviewOfLive(id: string, directory: string, owner: RunOwner): RunOverview {
    const manifest = readManifest(directory);
    const growing = this.#growing.get(id) ?? new GrowingView(directory);
    this.#growing.delete(id);
    this.#growing.set(id, growing);
    forgetOldest(this.#growing);
    return overviewFrom({ directory, manifest, owner, view: growing.read() }, this.#now());
  }

  /** Text of a run's details in this turn of the event loop: simultaneous requests share one look. */
  latestTextOf(id: string): string | undefined {
    const latest = this.#latest;
    return latest?.id === id ? textOf(latest.response, this.#now()) : undefined;
  }

  /** Last text of a run's details, if nothing has changed since. */
  knownTextOf(id: string, directory: string): string | undefined {
    const known = this.#others.get(id);
    const now = this.#now();
    if (known === undefined || !isTrue(known, stampOf(directory), now)) return undefined;
    this.#latest = { id, response: known };
    setImmediate(() => {
      this.#latest = undefined;
    });
    return textOf(known, now);
  }

  textOfOther(id: string, directory: string): string {
    const now = this.#now();
    const key = stampOf(directory);
    const detail = this.ofOther(id, directory);
    const response = responseOf(
      detail,
      key ?? '',
      (detail.child_runs.length > 0 && detail.end_time === null) || detail.status === 'queued',
      now,
    );
    this.#others.delete(id);
    if (key !== undefined) this.#others.set(id, response);
    forgetOldest(this.#others);
    return textOf(response, now);
  }
}

function forgetOldest(runs: Map<string, unknown>): void {
  for (const oldest of runs.keys()) {
    if (runs.size <= remembered) return;
    runs.delete(oldest);
  }
}

/** Facts about the runs of this machine. */
export const localRunWords: RunWords = {
  actionsIn,
  problemOf: refusedResumption,
  awaitedBy: () => undefined,
};

/** A run that waits to continue. */
export function asQueued(detail: RunDetail, position: number): RunDetail {
  return { ...detail, status: 'queued', queue_position: position, actions: actionsIn('queued') };
}

/** Actions that a run allows in a status. */
function actionsIn(status: RunStatusName): readonly RunAction[] {
  switch (status) {
    case 'queued':
      return ['cancel'];
    case 'running':
      return ['pause', 'cancel', 'fork'];
    case 'paused':
    case 'interrupted':
      return ['cancel', 'resume', 'fork'];
    case 'fail':
    case 'cancelled':
      return ['resume', 'fork'];
    case 'success':
      return ['fork'];
    case 'damaged':
      return [];
  }
}

function queuedSource(id: string, directory: string, waiting: WaitingStart): OverviewSource {
  return {
    directory,
    manifest: manifestOfQueued(id, waiting),
    view: emptyView(),
    owner: undefined,
  };
}

/** Facts about a run before it has a manifest. */
export function manifestOfQueued(
  id: string,
  { name, goal, submission, submitted_at }: Omit<WaitingStart, 'kind' | 'order'>,
): OverviewSource['manifest'] {
  const options = { simulate: submission.simulate === true, auto_approve: submission.auto_approve === true };
  return { run_id: id, name, goal, start_time: submitted_at, options };
}

function responseOf(detail: RunDetail, key: string, changesUnseen: boolean, now: number): CachedDetail {
  const { duration_ms, ...others } = detail;
  const rest = JSON.stringify(others);
  const isFinal = detail.end_time !== null || detail.status === 'damaged';
  return {
    key,
    rest,
    final: isFinal ? withDuration(duration_ms, rest) : undefined,
    startedAt: now - duration_ms,
    until: changesUnseen ? now + freshMs : undefined,
  };
}

function isTrue({ key: known, until }: CachedDetail, key: string | undefined, now: number): boolean {
  return known === key && (until === undefined || now < until);
}

function textOf({ rest, final, startedAt }: CachedDetail, now: number): string {
  return final ?? withDuration(Math.max(0, now - startedAt), rest);
}

function withDuration(milliseconds: number, rest: string): string {
  return `{"duration_ms":${milliseconds},${rest.slice(1)}`;
}

/** All that a change of a run shows in; undefined where it has changed so lately that another change would not show. */
function stampOf(directory: string): string | undefined {
  const stats = [statOf(directory), statOf(path.join(directory, runFiles.journal))];
  const latest = Math.max(...stats.map((one) => one?.mtimeMs ?? 0));
  if (Date.now() - latest < coarseGrain) return undefined;
  // What is not there is found out faster than by reading it.
  const owner = statOf(path.join(directory, runFiles.lock)) === undefined ? undefined : runOwner(directory);
  return [...stats.map((one) => `${one?.ino}.${one?.mtimeMs}.${one?.size}`), owner?.pid, owner?.since].join();
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}
