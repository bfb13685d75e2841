import type { ControlRequest, RunOwner } from '../../run-directory/run-requests.js';
import { UsageError } from '../../setup/usage-error.js';
import type { RunOverview } from '../../view/run-overview.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { runName } from '../run-name.js';

interface PauseArguments extends DatabaseArguments {
  readonly now?: true;
  readonly wait: boolean;
}

/** `attractor pause RUN`: asks the process that executes a run to stop so that it can be resumed (DESIGN §5). */
export const pauseCommand: CliCommand<PauseArguments> = {
  name: 'pause',
  summary: 'Pause a running run once its current stages have ended',
  example: 'attractor pause 20260131-120000-Example-k3x7qa',
  configure: (command) =>
    addDatabaseOption(command)
      .argument('<run>', 'a run id, or a path to a run directory')
      .option('--now', 'stop the stages that are running; they run again when the run is resumed')
      .option('--no-wait', 'do not wait until the run is paused'),
  run: ([name = ''], options, io) =>
    withRun(name, options, io, ({ directory }) => pauseRun(directory, options, io)),
};

async function pauseRun(directory: string, options: PauseArguments, io: Io): Promise<number> {
  const { isSameProcess } = await import('../../run-directory/lock.js');
  const { requestRun, runOwner } = await import('../../run-directory/run-requests.js');
  const { overviewOf } = await import('../../view/run-overview.js');
  const { nameAtStart, openQuestionsOf, waitingFirst } = await import('../steer-run.js');
  const { statusPhrase } = await import('../../view/status-phrase.js');
  const request: ControlRequest = {
    kind: 'pause',
    mode: options.now ? 'now' : 'after_stage',
    reason: 'requested by `attractor pause`',
  };
  const overview = overviewOf(directory, Date.now());
  const remark = options.now ? '' : await whenItPauses(overview);
  const { runToResume } = await import('../run-above.js');
  const executor = runOwner(directory);
  // The process that executes a child for its parent pauses both of them.
  const top = runToResume(directory, (above) =>
    executor === undefined
      ? overviewOf(above, Date.now()).status === 'paused'
      : isSameProcess(executor, runOwner(above)),
  );
  const run = runName(top, io.cwd());
  const owner = requestRun(directory, request);
  if (owner !== undefined) {
    io.stderr.write(`${nameAtStart(owner)} was asked to pause the run${remark}${waitingFirst(owner)}\n`);
    return options.wait ? waitForPause(directory, owner, request, run, io) : exitCode.ok;
  }
  const { status } = overviewOf(directory, Date.now());
  if (status !== 'paused') {
    throw new UsageError(`there is nothing to pause: the run ${statusPhrase(status)}`);
  }
  const questions = stillOpen(openQuestionsOf(overview));
  io.stdout.write(`The run is already paused${questions}. Resume with: attractor resume ${run}\n`);
  return exitCode.ok;
}

/** Description of the time of a pause: running stages end first; a run that only waits pauses at once. */
async function whenItPauses(overview: RunOverview): Promise<string> {
  const { openQuestionsOf, runningStages } = await import('../steer-run.js');
  const running = runningStages(overview, Date.now());
  if (running !== '') return ` after these stages: ${running}; --now stops them`;
  const questions = openQuestionsOf(overview);
  return questions === '' ? '' : `: no stage is running; ${questions} will be kept`;
}

/** @param run the one to be resumed afterwards, as the next call may name it */
async function waitForPause(
  directory: string,
  owner: RunOwner,
  request: ControlRequest,
  run: string,
  io: Io,
): Promise<number> {
  const { openQuestionsOf, untilReleased } = await import('../steer-run.js');
  const { statusPhrase } = await import('../../view/status-phrase.js');
  const after = await untilReleased(directory, owner, request, io);
  if (after.status === 'paused') {
    const questions = stillOpen(openQuestionsOf(after));
    io.stdout.write(`The run is paused${questions}. Resume with: attractor resume ${run}\n`);
    return exitCode.ok;
  }
  io.stderr.write(`attractor: the run could no longer be paused: it ${statusPhrase(after.status)}\n`);
  return exitCode.failure;
}

/** A question outlives the process that asked it (SEMANTICS 87). */
function stillOpen(questions: string): string {
  return questions === '' ? '' : `; still open: ${questions}`;
}
