import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../graph/coerce.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunOverview } from '../../view/run-overview.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { withRuns } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode, exitCodeOfOverview } from '../exit-code.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { runName } from '../run-name.js';
import type { WaitOptions } from '../runs/until-stopped.js';

interface WaitArguments extends WaitOptions, DatabaseArguments {}

/** `attractor wait RUN…`: waits until runs have ended or paused, whatever processes execute them (DESIGN §5). */
export const waitCommand: CliCommand<WaitArguments> = {
  name: 'wait',
  summary: 'Wait until runs have ended or paused, and exit as they did',
  example: 'attractor wait --timeout 10m',
  configure: (command: Command) =>
    addDatabaseOption(command)
      .argument('[run...]', 'run ids, or paths to run directories; the newest run by default')
      .option('--any', 'wait only for the first of them')
      .option('--timeout <duration>', 'give up after this time, such as 90s or 10m', parseTimeout)
      .option('--json', 'print the runs as JSON'),
  run: (names, options, io) =>
    withRuns(names.length === 0 ? [undefined] : names, options, io, (runs) =>
      waitFor(
        runs.map(({ directory }) => directory),
        options,
        io,
      ),
    ),
};

async function waitFor(directories: readonly string[], options: WaitOptions, io: Io): Promise<number> {
  const { untilStopped } = await import('../runs/until-stopped.js');
  const { ended, waiting, isInterrupted } = await untilStopped(directories, options, io);
  if (options.json) io.stdout.write(`${terminalJson({ runs: ended.map(jsonOf) }, 2)}\n`);
  if (isInterrupted) return exitCode.interrupted;
  const isTimeUp = waiting.length > 0 && !(options.any && ended.length > 0);
  if (isTimeUp) reportTimeUp(waiting, options.timeout, io);
  return isTimeUp ? exitCode.timedOut : worst(ended.map(({ status }) => exitCodeOfOverview(status)));
}

function parseTimeout(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('Expected a duration, such as 90s or 10m.');
  return duration.milliseconds;
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
