import { compileOptionsOf, extensionsOfRun } from '../../setup/extensions.js';
import { findRun } from '../../setup/find-run.js';
import { keysFor } from '../../setup/keys.js';
import { resumedSimulationNotes } from '../../setup/simulation-notes.js';
import type { CliCommand } from '../command.js';
import { executeRun, reportInvalid } from '../execute-run.js';
import { Interruption } from '../interruption.js';
import type { Io } from '../io.js';
import { addCommonOptions, type CommonArguments, loadScript } from '../run-arguments.js';

interface ResumeArguments extends CommonArguments {
  readonly from?: string;
}

/** `attractor resume RUN`: goes on where a run stopped (DESIGN §5, SEMANTICS 89). */
export const resumeCommand: CliCommand<ResumeArguments> = {
  name: 'resume',
  summary: 'Go on with a run that was paused, cut off, cancelled or failed',
  example: 'attractor resume .attractor/runs/20260131-120000-Example-k3x7qa',
  configure: (command) =>
    addCommonOptions(
      command
        .argument('<run>', 'a run id, or a path to a run directory')
        .option('--from <node>', 'go on at this node instead of where the run stopped'),
    )
      // Behind `--simulate`: on its own it would make that the default.
      .option('--no-simulate', 'do real work from now on in a run that was simulated'),
  run: ([name = ''], options, io) =>
    Interruption.during(io, 'the run has not gone on, and nothing was changed', (interruption) =>
      continueRun(findRun(name, io.cwd()), options, interruption, io),
    ),
};

/** Goes on with the run in a directory. */
export async function continueRun(
  directory: string,
  options: ResumeArguments,
  interruption: Interruption,
  io: Io,
): Promise<number> {
  const { readManifest } = await import('../../run-directory/manifest.js');
  const { runFiles } = await import('../../run-directory/run-files.js');
  const { readPipeline } = await import('../../run-directory/read-pipeline.js');
  const { checkPipeline } = await import('../../run/check-pipeline.js');
  const { recordedScript: scriptOf } = await import('../../run-directory/manifest-settings.js');
  const manifest = readManifest(directory);
  const before = manifest.options;
  const file = `${directory}/${runFiles.pipeline}`;
  const manifestFile = `${directory}/${runFiles.manifest}`;
  const extensions = await extensionsOfRun(before.extensions, manifestFile, options, io);
  const keys = await keysFor(extensions.settings, io);
  const { compile } = await import('../../compiler/compile.js');
  const { source, graph, program, diagnostics } = compile(readPipeline(directory), {
    name: file,
    ...compileOptionsOf(extensions),
  });
  checkPipeline(directory, manifest, graph);
  if (program === undefined) return reportInvalid(source, diagnostics, options, io);
  const given = options.script === undefined ? undefined : await loadScript(options.script, io.cwd());
  const script = given ?? scriptOf(manifest);
  const { simulate = before.simulate, autoApprove = before.auto_approve, seed = before.seed } = options;
  const { resume } = await import('../../run/run.js');
  const { planBackend } = await import('../../setup/backend-plan.js');
  const isPretended = ({ id }: { readonly id: string }): boolean => script.nodes.has(id) || simulate;
  const workingDirectory = manifest.working_directory;
  const plan = await planBackend({
    program,
    extensions,
    workingDirectory,
    variables: keys.variables,
    isPretended,
  });
  return executeRun(
    {
      program,
      source,
      script: given,
      extensions,
      interruption,
      plan,
      keys,
      workingDirectory,
      isPretended,
      isUnattended: simulate || autoApprove,
      notes: resumedSimulationNotes(
        { program, extensions, script, simulate, seed, plan },
        { simulate: before.simulate, isScriptKept: given === undefined },
      ),
      directoryOf: () => directory,
      start: (common) => resume(directory, { ...common, from: options.from }),
    },
    options,
    io,
  );
}
