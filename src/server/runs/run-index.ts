import { readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lockHolder } from '../../run-directory/lock.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { readEntriesSync } from '../../run-directory/undecodable-names.js';
import { isOver } from '../../view/run-status.js';
import { summarizeRunAndResult } from '../../view/summarize-run.js';
import type { RunListEntry, RunStatusName } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { endInJournal } from './end-in-journal.js';
import { readWaiting, refusedResumption } from './server-files.js';

interface IndexedRun {
  readonly directory: string;
  /** Time of the directory's last change: every file of a run that comes, goes or is replaced changes it. */
  readonly mtimeMs: number;
  /** Undefined where it holds no run. */
  readonly entry: RunListEntry | undefined;
}

/**
 * The run directories in a home, by name, each summarised once and again when it has changed: a list of thousands costs one
 * look at each directory.
 */
export class RunIndex {
  readonly #home: string;
  readonly #known = new Map<string, IndexedRun>();
  #entries: readonly RunListEntry[] = [];
  #isGoodUntil = 0;

  constructor(home: string) {
    this.#home = path.resolve(home);
  }

  /** The names of what may be a run, as they are in the home now. @throws ProblemError `storage` */
  names(): readonly string[] {
    try {
      // A fork that is being made is not a run yet.
      return readEntriesSync(this.#home)
        .entries.filter((entry) => entry.isDirectory() && !entry.name.includes('.forking-'))
        .map(({ name }) => name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new ProblemError(
        'storage',
        `the runs in ${this.#home} cannot be listed: ${describeSystemError(error)}`,
        { cause: error },
      );
    }
  }

  /**
   * The directory of a run.
   * @throws ProblemError `not_found`
   */
  directoryOf(id: string): string {
    const known = this.#known.get(id);
    if (known?.entry !== undefined && statsOf(known.directory) !== undefined) return known.directory;
    const directory = this.names().includes(id) ? path.join(this.#home, id) : undefined;
    if (directory === undefined || this.#look(id, directory) === undefined) {
      throw new ProblemError(
        'not_found',
        `there is no run "${id.slice(0, 200)}" here; GET /pipelines lists the runs`,
      );
    }
    return directory;
  }

  /**
   * All runs.
   * @param isElsewhere true for runs that another source knows better: they are left out
   */
  entries(isElsewhere: (id: string) => boolean): readonly RunListEntry[] {
    const begun = performance.now();
    // However many runs there are, and however often they are listed: looking takes a fifth of the time at
    // most.
    if (begun < this.#isGoodUntil) return this.#entries.filter(({ id }) => !isElsewhere(id));
    const names = this.names();
    if (this.#known.size > names.length) this.#forgetAllBut(new Set(names));
    this.#entries = names.flatMap((id) => {
      if (isElsewhere(id)) return [];
      return this.#look(id, path.join(this.#home, id)) ?? [];
    });
    const ended = performance.now();
    this.#isGoodUntil = ended + 4 * (ended - begun);
    return this.#entries;
  }

  /** Has a run looked at again, as one that has changed hands. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#isGoodUntil = 0;
  }

  /** Summarizes all runs, a few in each turn of the event loop, so that the first list is fast. */
  async warmUp(signal: AbortSignal): Promise<void> {
    for (const id of this.names()) {
      if (signal.aborted) return;
      if (this.#known.has(id)) continue;
      this.#look(id, path.join(this.#home, id));
      await nextTurn();
    }
  }

  #forgetAllBut(names: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!names.has(id)) this.#known.delete(id);
  }

  #look(id: string, directory: string): RunListEntry | undefined {
    const stats = statsOf(directory);
    if (stats?.isDirectory() !== true) {
      this.#known.delete(id);
      return undefined;
    }
    const { mtimeMs } = stats;
    const known = this.#known.get(id);
    if (known !== undefined && known.mtimeMs === mtimeMs && isStillTrue(known)) return known.entry;
    const entry = summaryOf(id, directory);
    // What is changed in the same moment would look the same.
    const isSettled = Date.now() - mtimeMs > coarseGrain;
    this.#known.set(id, { directory, mtimeMs: isSettled ? mtimeMs : Number.NaN, entry });
    return entry;
  }
}

/** Milliseconds within which two changes of a file may have the same time. */
export const coarseGrain = 50;

/** That a process dies, and what people are asked, does not show in the directory. */
function isStillTrue({ directory, entry }: IndexedRun): boolean {
  if (entry?.status === 'running') return lockHolder(path.join(directory, runFiles.lock)) !== undefined;
  return entry === undefined || entry.status === 'queued' || isAtRest(entry.status);
}

function isAtRest(status: RunStatusName): boolean {
  return isOver(status) || status === 'damaged';
}

function summaryOf(id: string, directory: string): RunListEntry | undefined {
  if (!holdsRun(directory)) return refusedRun(id, directory);
  const { summary, result } = summarizeRunAndResult(directory);
  const recorded = summary.status as RunStatusName;
  const status = recorded === 'interrupted' ? (endInJournal(directory) ?? recorded) : recorded;
  // As long as it continues, the result is that of its latest pause.
  const isCurrent = status !== 'running' && status !== 'interrupted';
  const usage = isCurrent ? result?.usage : undefined;
  const refused = status === 'running' ? undefined : refusedResumption(directory);
  return {
    id,
    name: summary.name,
    goal: summary.goal,
    status,
    simulated: summary.simulated,
    start_time: summary.start_time,
    duration_ms: summary.duration_ms,
    current_node: summary.current_node,
    worker: null,
    waits_for: null,
    steps: summary.steps,
    ...usageFields(usage),
    open_questions: isAtRest(status) ? 0 : countQuestions(directory),
    only_asks: isAtRest(status) ? false : null,
    failure_reason: refused ?? (isCurrent ? (result?.failure_reason ?? null) : null),
  };
}

/** Fields of a list about the use of models. */
export function usageFields(
  usage:
    | {
        readonly requests: number;
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly cost_usd?: number;
      }
    | undefined,
): Pick<RunListEntry, 'cost_usd' | 'tokens'> {
  if (usage === undefined) return { cost_usd: null, tokens: null };
  return {
    cost_usd: usage.cost_usd ?? (usage.requests === 0 ? 0 : null),
    tokens: usage.input_tokens + usage.output_tokens,
  };
}

/** One that waited in the queue, and could not begin when it was its turn. */
function refusedRun(id: string, directory: string): RunListEntry | undefined {
  const waiting = readWaiting(directory);
  if (waiting?.kind !== 'start') return undefined;
  const queued = entryOfQueued(id, waiting);
  if (waiting.refused === undefined) return queued;
  return { ...queued, status: 'fail', failure_reason: waiting.refused };
}

/** A run that has not begun, in a list. */
function entryOfQueued(
  id: string,
  {
    name,
    goal,
    submission,
    submitted_at,
  }: {
    readonly name: string;
    readonly goal: string;
    readonly submission: { readonly simulate?: boolean };
    readonly submitted_at: string;
  },
): RunListEntry {
  return {
    id,
    name,
    goal,
    status: 'queued',
    simulated: submission.simulate === true,
    start_time: submitted_at,
    duration_ms: null,
    current_node: null,
    worker: null,
    waits_for: null,
    steps: 0,
    cost_usd: null,
    tokens: null,
    open_questions: 0,
    only_asks: false,
    failure_reason: null,
  };
}

function countQuestions(directory: string): number {
  try {
    const names = readdirSync(path.join(directory, runFiles.questions));
    return names.filter((name) => name.endsWith('.json') && !name.endsWith('.answer.json')).length;
  } catch {
    return 0;
  }
}

function statsOf(directory: string): Stats | undefined {
  try {
    return statSync(directory);
  } catch {
    return undefined;
  }
}
