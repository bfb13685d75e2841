import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { printable } from '../../diagnostic/printable.js';
import { parseDuration } from '../../graph/coerce.js';
import { runFiles } from '../../run-directory/run-files.js';
import { findRunOrNewest } from '../../setup/newest-run.js';
import { questionsOf } from '../../setup/questions-of.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunOverview } from '../../view/run-overview.js';
import type { CliCommand } from '../command.js';
import { exitCode, exitCodeOfOverview } from '../exit-code.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { runName } from '../run-name.js';

interface WaitArguments {
  readonly any?: true;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly json?: true;
}

/** `attractor wait RUN…`: waits until runs have ended or paused, whatever processes execute them (DESIGN §5). */
export const waitCommand: CliCommand<WaitArguments> = {
  name: 'wait',
  summary: 'Wait until runs have ended or paused, and exit as they did',
  example: 'attractor wait --timeout 10m',
  configure: (command: Command) =>
    command
      .argument('[run...]', 'run ids, or paths to run directories; the newest run by default')
      .option('--any', 'wait for the first of them only')
      .option('--timeout <duration>', 'give up after this time, such as 90s or 10m', parseTimeout)
      .option('--json', 'print the runs as JSON'),
  async run(names, options, io) {
    const named = names.length === 0 ? [undefined] : names;
    const directories = [...new Set(named.map((name) => findRunOrNewest(name, io)))];
    const { ended, waiting, isInterrupted } = await untilStopped(directories, options, io);
    if (options.json) io.stdout.write(`${terminalJson({ runs: ended.map(jsonOf) }, 2)}\n`);
    if (isInterrupted) return exitCode.interrupted;
    const isTimeUp = waiting.length > 0 && !(options.any && ended.length > 0);
    if (isTimeUp) reportTimeUp(waiting, options.timeout, io);
    return isTimeUp ? exitCode.timedOut : worst(ended.map(({ status }) => exitCodeOfOverview(status)));
  },
};

function parseTimeout(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('Expected a duration, such as 90s or 10m.');
  return duration.milliseconds;
}

interface Waited {
  /** In the order in which they ended. */
  readonly ended: readonly RunOverview[];
  /** Directories of those that have not ended. */
  readonly waiting: readonly string[];
  readonly isInterrupted: boolean;
}

const pollMs = 100;

/** Waits until no process executes the runs any more, and prints each as soon as that is so. */
async function untilStopped(
  directories: readonly string[],
  { any, timeout = Number.POSITIVE_INFINITY, json }: WaitArguments,
  io: Io,
): Promise<Waited> {
  const { runOwner } = await import('../../run-directory/run-requests.js');
  const { overviewOf } = await import('../../view/run-overview.js');
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
        if (overview.status === 'running') return true;
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

function jsonOf(overview: RunOverview): object {
  const { run_id, run_dir, name, status, quality, duration_ms, failure_reason, paused_reason } = overview;
  const exit_status = exitCodeOfOverview(status);
  return { run_id, run_dir, name, status, exit_status, quality, duration_ms, failure_reason, paused_reason };
}

function reportTimeUp(waiting: readonly string[], timeout = 0, io: Io): void {
  const runs = waiting.map((directory) => runName(directory, io.cwd())).join(', ');
  const verb = waiting.length === 1 ? 'is' : 'are';
  io.stderr.write(`attractor: after ${formatDuration(timeout)}, ${runs} ${verb} still running\n`);
}

/** The exit status that says most: a failure before a cancelled run, and that before a paused one. */
function worst(statuses: readonly number[]): number {
  const order: readonly number[] = [exitCode.failure, exitCode.cancelled, exitCode.paused];
  return order.find((status) => statuses.includes(status)) ?? exitCode.ok;
}
