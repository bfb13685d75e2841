import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import { printableLines } from '../../diagnostic/printable.js';
import { RunError } from '../../run-directory/run-error.js';
import type { ControlRequest, RunOwner } from '../../run-directory/run-requests.js';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { type NamedRun, withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import { runName } from '../run-name.js';

interface CancelArguments extends ExtensionArguments, DatabaseArguments {
  readonly wait: boolean;
  readonly kill?: true;
}

const request: ControlRequest = { kind: 'cancel' };
/** Stages get half of it to end when their run is cancelled. */
const killPatienceMs = 10_000;

/** `attractor cancel RUN`: ends a run for good, whatever process executes it (SEMANTICS 76). */
export const cancelCommand: CliCommand<CancelArguments> = {
  name: 'cancel',
  summary: 'Cancel a run, whether it is running or not',
  example: 'attractor cancel 20260131-120000-Example-k3x7qa',
  configure: (command) =>
    addExtensionOptions(
      addDatabaseOption(command)
        .argument('<run>', 'a run id, or a path to a run directory')
        .option('--no-wait', 'do not wait until the run is cancelled')
        .option('--kill', 'kill the process that executes the run, if it does not cancel it in time'),
    ),
  run: ([name = ''], options, io) => {
    if (options.kill && !options.wait)
      throw new UsageError('--kill waits for the process to respond; it cannot be combined with --no-wait');
    return withRun(name, options, io, async (run) => {
      if (options.kill && run.inCluster !== undefined)
        throw new UsageError(
          '--kill ends a process of this machine, but a worker of a cluster executes the run',
        );
      const { requestRun } = await import('../../run-directory/run-requests.js');
      const owner = requestRun(run.directory, request);
      return owner === undefined ? cancelIdle(run, options, io) : waitForEnd(run, owner, options, io);
    });
  },
};

async function waitForEnd(run: NamedRun, owner: RunOwner, options: CancelArguments, io: Io): Promise<number> {
  const { directory } = run;
  const { nameAtStart, untilReleased, waitingFirst } = await import('../steer-run.js');
  const { statusPhrase } = await import('../../view/status-phrase.js');
  io.stderr.write(`${nameAtStart(owner)} was asked to cancel the run${waitingFirst(owner)}\n`);
  if (!options.wait) return exitCode.ok;
  if (options.kill) {
    const { killOwner, releasesInTime } = await import('../runs/kill-owner.js');
    if (!(await releasesInTime(directory, owner, killPatienceMs))) {
      await killOwner(directory, owner, io);
      return cancelIdle(run, options, io);
    }
  }
  const { status } = await untilReleased(directory, owner, request, io);
  if (status === 'cancelled') return reportCancelled(run, io);
  if (status === 'paused' || status === 'interrupted') return cancelIdle(run, options, io);
  io.stderr.write(`attractor: the run could no longer be cancelled: it ${statusPhrase(status)}\n`);
  return exitCode.failure;
}

/** Cancels a run that no process executes. */
async function cancelIdle(run: NamedRun, options: CancelArguments, io: Io): Promise<number> {
  const { directory } = run;
  const { overviewOf } = await import('../../view/run-overview.js');
  const { statusPhrase } = await import('../../view/status-phrase.js');
  const { status } = overviewOf(directory, Date.now());
  if (status === 'success' || status === 'fail') {
    throw new UsageError(`there is nothing to cancel: the run ${statusPhrase(status)}`);
  }
  if (status === 'cancelled') {
    io.stdout.write('The run is already cancelled.\n');
    return exitCode.ok;
  }
  if (run.inCluster === undefined) await cancelHere(directory, options, io);
  else {
    const { cancelInCluster } = await import('../../cluster/deliver.js');
    const refusal = await cancelInCluster(run.inCluster);
    if (refusal !== undefined) throw new RunError('usage', `the run cannot be cancelled: ${refusal}`);
  }
  return reportCancelled(run, io);
}

async function cancelHere(directory: string, options: CancelArguments, io: Io): Promise<void> {
  const { cancelRun } = await import('../../run/cancel-run.js');
  const { runFiles } = await import('../../run-directory/run-files.js');
  const { clearQuestions } = await import('../../run/questions/question-files.js');
  const onNotice = (notice: string): void => void io.stderr.write(`attractor: ${printableLines(notice)}\n`);
  await cancelRun(directory, await compilerFor(directory, options, io), { onNotice });
  const questions = path.join(directory, runFiles.questions);
  for (const problem of clearQuestions(questions, 'the run was cancelled, which closed its questions'))
    onNotice(`a file of a question could not be removed: ${problem}`);
}

/**
 * Compiles a run and those below it. Cancelling executes no stage, so of the plugins that their manifests
 * name only one that has changed the graph is needed, and the call must name it.
 */
async function compilerFor(
  directory: string,
  options: ExtensionArguments,
  io: Io,
): Promise<(directory: string) => Compilation> {
  const { readManifest } = await import('../../run-directory/manifest.js');
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { compileOptionsOf, extensionsOfCall } = await import('../../setup/extensions.js');
  const { unnamedPlugins, unnamedPluginsError } = await import('../refuse-unnamed-plugins.js');
  const { graphHash } = await import('../../journal/graph-hash.js');
  const { compile } = await import('../../compiler/compile.js');
  const compileOptions = compileOptionsOf(await extensionsOfCall(options, io));
  const unnamed = await unnamedPlugins(directory, options);
  return (of) => {
    const compilation = compile(readPipeline(of), compileOptions);
    const isOther = graphHash(compilation.graph) !== readManifest(of).graph_hash;
    if (isOther && unnamed !== undefined) throw unnamedPluginsError(unnamed);
    return compilation;
  };
}

function reportCancelled({ directory }: NamedRun, io: Io): number {
  const hint = `To resume it after all: attractor resume ${runName(directory, io.cwd())}`;
  io.stdout.write(`The run is cancelled. ${hint}\n`);
  return exitCode.ok;
}
