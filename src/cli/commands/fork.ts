import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { printable } from '../../diagnostic/printable.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { findRun } from '../../setup/find-run.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import {
  addContinueOptions,
  type ContinueArguments,
  planContinuedRun,
  readContinuedRun,
} from '../continued-run.js';
import { reportInvalid } from '../execute-run.js';
import { exitCode } from '../exit-code.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { jsonText } from '../output/json-text.js';
import { refuseUnnamedPlugins } from '../refuse-unnamed-plugins.js';
import { addCommonOptions } from '../run-arguments.js';
import { runName } from '../run-name.js';
import { continueRun } from './resume.js';

interface ForkArguments extends ContinueArguments {
  readonly at?: string;
  readonly step?: number;
  readonly runDir?: string;
  /** False only where the call says so. */
  readonly run: boolean;
}

/** `attractor fork RUN`: a new run that shares the history of another one up to a step, and goes on differently (DESIGN §5). */
export const forkCommand: CliCommand<ForkArguments> = {
  name: 'fork',
  summary: 'Go on from a step of a run in a new run, and leave the old one as it is',
  example: 'attractor fork .attractor/runs/20260131-120000-Example-k3x7qa --at implement --set model=large',
  configure: (command) =>
    addContinueOptions(
      addCommonOptions(
        command
          .argument('<run>', 'a run id, or a path to a run directory')
          .option('--at <node>', 'go on at this node, as it was before it was entered the last time')
          .option('--step <n>', 'go on after so many stages, start and exit not counted', parseStep)
          .option('--run-dir <dir>', 'where to keep the new run; beside the old one by default')
          .option('--no-run', 'only make the new run; `attractor resume` goes on with it'),
      ),
    ),
  run: ([name = ''], options, io) =>
    Interruption.during(io, 'the run was not forked, and nothing was changed', (interruption) =>
      forkRun(name, options, interruption, io),
    ),
};

function parseStep(text: string): number {
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('Expected a whole number of at least 0.');
  return Number(text);
}

async function forkRun(
  name: string,
  options: ForkArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  const { at, step, runDir } = options;
  if (at !== undefined && step !== undefined)
    throw new UsageError('--at and --step both say where to go on: name one of them');
  if (runDir?.trim() === '') throw new UsageError('--run-dir needs the name of a directory');
  const directory = findRun(name, io.cwd());
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { fork } = await import('../../run/recording/fork.js');
  const { SourceText } = await import('../../diagnostic/source.js');
  await refuseUnnamedPlugins(directory, options);
  const before = await readContinuedRun(directory, options, io);
  // A fork that could not go on would be made for nothing.
  if (options.run && before.compilation.program) await planContinuedRun(before, before.compilation.program);
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
  io.stderr.write(`forked ${printable(from)} behind event ${seq}: ${printable(run)}\n`);
  if (options.run) return continueRun(made.run_dir, options, interruption, io);
  if (options.json) io.stdout.write(`${jsonText(made, 2)}\n`);
  else io.stderr.write(`  go on with: attractor resume ${printable(run)}\n`);
  return exitCode.ok;
}
