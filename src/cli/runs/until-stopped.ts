import { readdirSync } from 'node:fs';
import path from 'node:path';
import { printable } from '../../diagnostic/printable.js';
import { runFiles } from '../../run-directory/run-files.js';
import { runOwner } from '../../run-directory/run-requests.js';
import { questionsOf } from '../../setup/questions-of.js';
import { formatDuration } from '../../view/format-duration.js';
import { overviewOf, type RunOverview } from '../../view/run-overview.js';
import type { Io } from '../io.js';
import { runName } from '../run-name.js';

export interface WaitOptions {
  readonly any?: true;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly json?: true;
}

/** Runs that were waited for. */
export interface Waited {
  /** In the order in which they ended. */
  readonly ended: readonly RunOverview[];
  /** Directories of those that have not ended. */
  readonly waiting: readonly string[];
  readonly isInterrupted: boolean;
}

const pollMs = 100;

/** Waits until no process executes the runs any more, and prints each as soon as that is so. */
export async function untilStopped(
  directories: readonly string[],
  { any, timeout = Number.POSITIVE_INFINITY, json }: WaitOptions,
  io: Io,
): Promise<Waited> {
  const stopped = new AbortController();
  const interrupt = (): void => stopped.abort();
  io.on('SIGINT', interrupt);
  const end = Date.now() + timeout;
  const asking = new OpenQuestions(io);
  const ended: RunOverview[] = [];
  let waiting = directories;
  try {
    for (;;) {
      waiting = waiting.filter((directory) => {
        const isExecuted = runOwner(directory) !== undefined;
        if (isExecuted && !asking.areNew(directory)) return true;
        const overview = overviewOf(directory, Date.now());
        if (isExecuted) asking.report(overview);
        // Another process may have taken it since.
        if (overview.status === 'running' || overview.status === 'queued') return true;
        ended.push(overview);
        if (!json) io.stdout.write(`${lineOf(overview, io)}\n`);
        return false;
      });
      const isDone = waiting.length === 0 || (any && ended.length > 0);
      if (isDone || stopped.signal.aborted || Date.now() >= end) break;
      const rest = Math.min(pollMs, end - Date.now());
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  } finally {
    io.off('SIGINT', interrupt);
  }
  return { ended, waiting, isInterrupted: stopped.signal.aborted };
}

/** Questions for which runs wait, each reported once. */
class OpenQuestions {
  readonly #io: Io;
  /** Names of the files by run directory. */
  readonly #reported = new Map<string, string>();

  constructor(io: Io) {
    this.#io = io;
  }

  /** True if there are files of questions that were not reported. */
  areNew(directory: string): boolean {
    const files = filesOf(directory);
    return files !== '' && files !== this.#reported.get(directory);
  }

  report(overview: RunOverview): void {
    const run = runName(overview.run_dir, this.#io.cwd());
    const names = [...new Set(questionsOf(overview).map(({ name }) => printable(name)))];
    // The journal does not have it yet.
    if (names.length === 0) return;
    this.#reported.set(overview.run_dir, filesOf(overview.run_dir));
    this.#io.stderr.write(`${run} waits for an answer (${names.join(', ')}): attractor answer ${run}\n`);
  }
}

function filesOf(directory: string): string {
  try {
    return readdirSync(path.join(directory, runFiles.questions)).sort().join();
  } catch {
    return '';
  }
}

function lineOf(overview: RunOverview, io: Io): string {
  const { status, duration_ms: duration, failure_reason: failure, paused_reason: pause } = overview;
  const run = runName(overview.run_dir, io.cwd());
  const reason = (status === 'paused' ? pause : failure) ?? '';
  const why = reason === '' || status === 'success' ? '' : `: ${printable(reason)}`;
  const line = `${run}  ${status} after ${formatDuration(duration)}${why}`;
  const mayContinue = status === 'paused' || status === 'interrupted';
  return mayContinue ? `${line}\n  to resume it: attractor resume ${run}` : line;
}
