import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Compilation } from '../../compiler/compile.js';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
import { printableLines } from '../../diagnostic/printable.js';
import type { InvalidPipeline, RunOptions } from '../../run/run-options.js';
import { runsHome } from '../../setup/find-run.js';
import { simulationNotes } from '../../setup/simulation-notes.js';
import { UsageError } from '../../setup/usage-error.js';
import type { RunResult } from '../../view/run-result.js';
import {
  addDatabaseOption,
  type DatabaseArguments,
  databaseIfAny,
  withCluster,
} from '../cluster/database.js';
import type { CliCommand } from '../command.js';
import type { RunRequest } from '../execute-run.js';
import { exitCode } from '../exit-code.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { preflightOf, readRunCall } from '../read-run-call.js';
import { recordedPlan, replayedRun } from '../replayed-run.js';
import { reportInvalid, reportRefused } from '../report-refused.js';
import { addCommonOptions, type CommonArguments } from '../run-arguments.js';

interface RunArguments extends CommonArguments, DatabaseArguments {
  readonly git?: boolean;
  readonly priority?: number;
  readonly replay?: string;
  readonly runDir?: string;
}

/** `attractor run FILE`: validates a pipeline and runs it (DESIGN §5). */
export const runCommand: CliCommand<RunArguments> = {
  name: 'run',
  summary: 'Run a pipeline',
  example: 'attractor run pipeline.dot --set branch=main',
  configure: (command) =>
    addCommonOptions(
      addDatabaseOption(command)
        .argument('<file>', 'the pipeline; - reads standard input')
        .option('--run-dir <dir>', 'directory of the run; by default a new one below .attractor/runs')
        .option('--replay <run>', 'replay a recorded run: no stage does real work')
        .option('--git', 'use git: a work tree for the run and a commit for each stage')
        .option('--no-git', 'work in this directory even if the pipeline says git=true')
        .option(
          '--priority <n>',
          'with --database: of the runs that wait, workers take those with a larger number first; 0 by default',
          parsePriority,
        ),
    ),
  run: ([file = '-'], options, io) =>
    Interruption.during(io, 'the run was not started, and nothing was created', (interruption) =>
      runPipeline(file, options, interruption, io),
    ),
};

async function runPipeline(
  file: string,
  options: RunArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  if (options.runDir?.trim() === '') throw new UsageError('--run-dir needs the name of a directory');
  const directory = options.runDir === undefined ? undefined : path.resolve(io.cwd(), options.runDir);
  const replay = options.replay === undefined ? undefined : replayedRun(options.replay, options, io);
  const read = await readRunCall(file, options, io, replay);
  const { compilation, extensions, keys, settings, sourcePath, notice } = read;
  const { source, program, diagnostics } = compilation;
  const workingDirectory = io.cwd();
  const database = databaseIfAny(options, io);
  const { findings, plan } =
    replay === undefined
      ? await preflightOf(read, workingDirectory, { isSubmitted: database !== undefined })
      : { findings: [], plan: recordedPlan };
  if (program === undefined || hasErrors(findings))
    return reportRefused({ source, diagnostics, findings }, options, io);
  const { simulate = false, autoApprove = false, seed, script } = settings;
  const own = {
    sourcePath,
    runDirectory: directory,
    git: options.git,
    replay,
    extensions: extensions.record,
    defaultBudgetUsd: extensions.defaultBudgetUsd,
    workingDirectory,
  };
  const { priority } = options;
  if (priority !== undefined && database === undefined)
    throw new UsageError('--priority is for runs that wait for a worker; name a database, too');
  if (settings.spread === true && database === undefined)
    throw new UsageError('--spread is for runs of a cluster; name a database, too');
  const directoryOf = (runId: string): string => directory ?? path.join(runsHome(workingDirectory), runId);
  if (database !== undefined && options.detach) {
    const { registryOf } = await import('../../setup/plug-in.js');
    // Workers have the handlers of plugins too.
    const handlers = await registryOf(extensions);
    const given = { ...settings, ...own, handlers, variables: keys.variables, secrets: keys.redactor };
    return submitOnly(database, compilation, given, options, io);
  }
  const { executeRun } = await import('../execute-run.js');
  return executeRun(
    {
      program,
      source,
      settings,
      extensions,
      interruption,
      sourcePath,
      directoryOf,
      plan,
      findings,
      keys,
      workingDirectory,
      isUnattended: simulate || autoApprove || replay !== undefined,
      notes: [
        ...(notice === undefined ? [] : [notice]),
        ...warningNote(file, diagnostics),
        ...(replay === undefined ? [] : [`replaying ${options.replay}: no stage does real work`]),
        ...simulationNotes({ script, simulate, seed }),
      ],
      start: async (common) => {
        if (database !== undefined)
          return executeElsewhere(
            database,
            { compilation, program, directoryOf, priority },
            { ...common, ...own },
          );
        const { run } = await import('../../run/run.js');
        return run(compilation, { ...common, ...own });
      },
    },
    options,
    io,
  );
}

/** Submits a run to a cluster, and follows it there. */
function executeElsewhere(
  database: string,
  {
    compilation,
    program,
    directoryOf,
    priority,
  }: Pick<RunRequest, 'program' | 'directoryOf'> & {
    readonly compilation: Compilation;
    readonly priority: number | undefined;
  },
  options: RunOptions,
): Promise<RunResult | InvalidPipeline> {
  return withCluster(database, async (cluster) => {
    const { followSubmitted, submitRun } = await import('../cluster/run-in-cluster.js');
    const submission = await submitRun(cluster, compilation, options, priority);
    if ('status' in submission) return submission;
    const { runId } = submission;
    return followSubmitted(cluster, runId, program, directoryOf(runId), options);
  });
}

/** Submits a run to a cluster, and says its id. */
function submitOnly(
  database: string,
  compilation: Compilation,
  given: RunOptions,
  options: RunArguments,
  io: Io,
): Promise<number> {
  return withCluster(database, async (cluster) => {
    const { submitRun } = await import('../cluster/run-in-cluster.js');
    const onNotice = (notice: string): void => void io.stderr.write(`attractor: ${printableLines(notice)}\n`);
    const submission = await submitRun(cluster, compilation, { ...given, onNotice }, options.priority);
    if ('status' in submission) return reportInvalid(compilation.source, submission.diagnostics, options, io);
    const { runId } = submission;
    io.stdout.write(options.json ? `${terminalJson({ run_id: runId })}\n` : `${runId}\n`);
    return exitCode.ok;
  });
}

function warningNote(file: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  if (warnings === 0) return [];
  const found = warnings === 1 ? 'lint has 1 warning' : `lint has ${warnings} warnings`;
  return [`${found} about this pipeline; \`attractor lint ${file}\` shows them`];
}

function parsePriority(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 to 9999.');
  return Number(text);
}
