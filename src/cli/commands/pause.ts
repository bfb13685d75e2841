import type { RunOverview } from '../../engine/runtime/run-overview.js';
import type { RunOwner, RunRequest } from '../../engine/runtime/run-requests.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { findRun } from '../find-run.js';
import type { Io } from '../io.js';
import { runName } from '../run-name.js';
import { UsageError } from '../usage-error.js';

interface PauseArguments {
  readonly now?: true;
  readonly wait: boolean;
}

/** `attractor pause RUN`: asks the process that executes a run to stop so that it can be resumed (DESIGN §5). */
export const pauseCommand: CliCommand<PauseArguments> = {
  name: 'pause',
  summary: 'Pause a run that another process executes, after the stage that is running',
  example: 'attractor pause 20260131-120000-Example-k3x7qa',
  configure: (command) =>
    command
      .argument('<run>', 'a run id, or a path to a run directory')
      .option('--now', 'stop the stages that are running; they run again when the run is resumed')
      .option('--no-wait', 'do not wait until the run is paused'),
  async run([name = ''], options, io) {
    const { requestRun } = await import('../../engine/runtime/run-requests.js');
    const { overviewOf } = await import('../../engine/runtime/run-overview.js');
    const { statusPhrase } = await import('../steer-run.js');
    const directory = findRun(name, io.cwd());
    const run = runName(directory, io.cwd());
    const request: RunRequest = {
      kind: 'pause',
      mode: options.now ? 'now' : 'after_stage',
      reason: 'asked for by `attractor pause`',
    };
    const owner = requestRun(directory, request);
    const overview = overviewOf(directory, Date.now());
    if (owner !== undefined) return waitForPause(directory, owner, request, overview, options, io);
    if (overview.status !== 'paused') {
      throw new UsageError(`nobody executes this run: it ${statusPhrase(overview.status)}`);
    }
    io.stdout.write(`The run is paused already. Go on with: attractor resume ${run}\n`);
    return exitCode.ok;
  },
};

async function waitForPause(
  directory: string,
  owner: RunOwner,
  request: RunRequest,
  before: RunOverview,
  options: PauseArguments,
  io: Io,
): Promise<number> {
  const { runningStages, statusPhrase, untilReleased } = await import('../steer-run.js');
  const run = runName(directory, io.cwd());
  const running = options.now ? '' : runningStages(before, Date.now());
  const after = running === '' ? '' : ` when these have ended: ${running}; --now stops them`;
  io.stderr.write(`Process ${owner.pid} was asked to pause the run${after}\n`);
  if (!options.wait) return exitCode.ok;
  const { status } = await untilReleased(directory, owner, request, io);
  if (status === 'paused') {
    io.stdout.write(`The run is paused. Go on with: attractor resume ${run}\n`);
    return exitCode.ok;
  }
  io.stderr.write(`attractor: the run could not be paused any more: it ${statusPhrase(status)}\n`);
  return exitCode.failure;
}
