import path from 'node:path';
import type { hasErrors } from '../../diagnostic/diagnostic.js';
import { redactedSource } from '../../secrets/redact-source.js';
import { compileOptionsOf, extensionsFor } from '../../setup/extensions.js';
import { keysFor } from '../../setup/keys.js';
import { simulationNotes } from '../../setup/simulation-notes.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { executeRun, reportInvalid } from '../execute-run.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import { recordedPlan, replayedRun } from '../replayed-run.js';
import { addCommonOptions, type CommonArguments, loadScript } from '../run-arguments.js';

interface RunArguments extends CommonArguments {
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
      command
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
  const { name, text } = await readSource(file, io);
  const { compile } = await import('../../compiler/compile.js');
  const { pipelineFiles } = await import('../../run/pipeline-files.js');
  const extensions = await extensionsFor(file, options, io);
  const keys = await keysFor(extensions.settings, io);
  const sourcePath = file === '-' ? undefined : path.resolve(io.cwd(), file);
  const replay = options.replay === undefined ? undefined : replayedRun(options.replay, options, io);
  const { text: clean, notice } = redactedSource(text, keys.redactor);
  const compilation = compile(clean, {
    name,
    ...compileOptionsOf(extensions),
    files:
      replay === undefined
        ? pipelineFiles(sourcePath, { directory: io.cwd(), secrets: keys.redactor })
        : undefined,
  });
  const { source, program, diagnostics } = compilation;
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const script = options.script === undefined ? undefined : await loadScript(options.script, io.cwd());
  const { simulate = false, autoApprove = false, seed } = options;
  const { run } = await import('../../run/run.js');
  const { emptyScript } = await import('../../run-directory/simulation-script.js');
  const { childHome } = await import('../../run/children/child-file.js');
  const { planBackend } = await import('../../setup/backend-plan.js');
  const { hasBudget } = await import('../../setup/model-stages.js');
  const workingDirectory = io.cwd();
  const { variables } = keys;
  const plan =
    replay === undefined
      ? await planBackend({
          program,
          extensions,
          workingDirectory,
          variables,
          simulate,
          script: script ?? emptyScript,
          isBudgeted: hasBudget(options),
          childDirectory: childHome(sourcePath, workingDirectory),
        })
      : recordedPlan;
  return executeRun(
    {
      program,
      source,
      script,
      extensions,
      interruption,
      plan,
      keys,
      workingDirectory,
      isUnattended: simulate || autoApprove || replay !== undefined,
      notes: [
        ...(notice === undefined ? [] : [notice]),
        ...warningNote(file, diagnostics),
        ...(replay === undefined ? [] : [`replaying ${options.replay}: no stage does real work`]),
        ...simulationNotes({ script, simulate, seed }),
      ],
      start: (common) =>
        run(compilation, {
          ...common,
          sourcePath,
          runDirectory: directory,
          git: options.git,
          replay,
          extensions: extensions.record,
          workingDirectory,
        }),
    },
    options,
    io,
  );
}

function warningNote(file: string, diagnostics: Parameters<typeof hasErrors>[0]): readonly string[] {
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  if (warnings === 0) return [];
  const found = warnings === 1 ? 'lint has 1 warning' : `lint has ${warnings} warnings`;
  return [`${found} about this pipeline; \`attractor lint ${file}\` shows them`];
}
