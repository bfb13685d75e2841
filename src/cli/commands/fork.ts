import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { hasErrors } from '../../diagnostic/diagnostic.js';
import { printable } from '../../diagnostic/printable.js';
import type { ForkedRun } from '../../run/recording/fork.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption } from '../cluster/database.js';
import type { ForkArguments } from '../cluster/fork-in-cluster.js';
import { withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { addContinueOptions, preflightContinued, readContinuedRun } from '../continued-run.js';
import { exitCode } from '../exit-code.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { refuseUnnamedPlugins } from '../refuse-unnamed-plugins.js';
import { reportInvalid, reportRefused } from '../report-refused.js';
import { addCommonOptions } from '../run-arguments.js';
import { runName } from '../run-name.js';
import { continueRun } from './resume.js';

/** `attractor fork RUN`: a new run that shares the history of another one up to a step, and continues differently (DESIGN §5). */
export const forkCommand: CliCommand<ForkArguments> = {
  name: 'fork',
  summary: 'Start a new run from a step of an existing one, which stays as it is',
  example: 'attractor fork .attractor/runs/20260131-120000-Example-k3x7qa --at implement --set model=large',
  configure: (command) =>
    addContinueOptions(
      addCommonOptions(
        addDatabaseOption(command)
          .argument('<run>', 'a run id, or a path to a run directory')
          .option('--at <node>', 'start before the last visit of this node')
          .option('--step <n>', 'start after this many stages, not counting start and exit', parseStep)
          .option('--run-dir <dir>', 'directory of the new run; by default next to the old one')
          .option('--no-run', 'only create the new run; start it with `attractor resume`'),
      ),
    ),
  run: ([name = ''], options, io) =>
    Interruption.during(io, 'the run was not forked, and nothing was changed', (interruption) =>
      forkNamed(name, options, interruption, io),
    ),
};

function parseStep(text: string): number {
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return Number(text);
}

async function forkNamed(
  name: string,
  options: ForkArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  const { at, step, runDir } = options;
  if (at !== undefined && step !== undefined)
    throw new UsageError('--at and --step cannot be combined: both name the step to start from');
  if (runDir?.trim() === '') throw new UsageError('--run-dir needs the name of a directory');
  const forked = await withRun(name, options, io, async (run) => {
    if (run.inCluster === undefined) return forkRun(run.directory, options, interruption, io);
    const { forkInCluster } = await import('../cluster/fork-in-cluster.js');
    return forkInCluster(run, options, io);
  });
  if (typeof forked === 'number') return forked;
  return withRun(forked.runId, options, io, async (run) => {
    if (!options.run) return reportFork({ ...forked.made, run_dir: run.directory }, options, io);
    const { resumeInCluster } = await import('../cluster/resume-in-cluster.js');
    return resumeInCluster(run, options, interruption, io);
  });
}

async function forkRun(
  directory: string,
  options: ForkArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  const { at, step, runDir } = options;
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { fork } = await import('../../run/recording/fork.js');
  const { SourceText } = await import('../../diagnostic/source.js');
  await refuseUnnamedPlugins(directory, options);
  const before = await readContinuedRun(directory, options, io);
  // A fork that could not continue would be made for nothing.
  if (options.run) {
    const { findings } = await preflightContinued(before, at);
    const { source } = before.compilation;
    if (hasErrors(findings)) return reportRefused({ source, diagnostics: [], findings }, options, io);
  }
  const made = await fork(directory, {
    ...compileOptionsOf(before.extensions),
    at,
    step,
    runDirectory: runDir === undefined ? undefined : path.resolve(io.cwd(), runDir),
    onNotice: (message) => io.stderr.write(`attractor: ${printable(message)}\n`),
  });
  if (made.status === 'invalid')
    return reportInvalid(
      new SourceText(`${directory}/pipeline.dot`, readPipeline(directory)),
      made.diagnostics,
      options,
      io,
    );
  const run = runName(made.run_dir, io.cwd());
  const { run_id: from, seq } = made.forked_from;
  io.stderr.write(`forked ${printable(from)} after event ${seq}: ${printable(run)}\n`);
  if (options.run) return continueRun(made.run_dir, options, interruption, io);
  return reportFork(made, options, io);
}

/** Says how a fork that was not started can be. */
function reportFork(made: ForkedRun, { json }: ForkArguments, io: Io): number {
  if (json) io.stdout.write(`${terminalJson(made, 2)}\n`);
  else io.stderr.write(`  resume with: attractor resume ${printable(runName(made.run_dir, io.cwd()))}\n`);
  return exitCode.ok;
}
