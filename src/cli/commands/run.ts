import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
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
import { executeRun, type RunRequest } from '../execute-run.js';
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
        .option('--no-git', 'work in this directory even if the pipeline says git=true'),
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
  const { findings, plan } =
    replay === undefined ? await preflightOf(read, workingDirectory) : { findings: [], plan: recordedPlan };
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
  const database = databaseIfAny(options, io);
  const directoryOf = (runId: string): string => directory ?? path.join(runsHome(workingDirectory), runId);
  if (database !== undefined && options.detach) {
    const given = { ...settings, ...own, variables: keys.variables, secrets: keys.redactor };
    return submitOnly(database, compilation, given, options, io);
  }
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
          return executeElsewhere(database, { compilation, program, directoryOf }, { ...common, ...own });
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
  }: Pick<RunRequest, 'program' | 'directoryOf'> & { readonly compilation: Compilation },
  options: RunOptions,
): Promise<RunResult | InvalidPipeline> {
  return withCluster(database, async (cluster) => {
    const { followSubmitted, submitRun } = await import('../cluster/run-in-cluster.js');
    const submission = await submitRun(cluster, compilation, options);
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
    const submission = await submitRun(cluster, compilation, given);
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
