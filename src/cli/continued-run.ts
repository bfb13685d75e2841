import type { Command } from 'commander';
import type { Compilation } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import { compileOptionsOf, extensionsOfRun } from '../setup/extensions.js';
import { type Keys, keysFor } from '../setup/keys.js';
import type { PolicedRun } from '../setup/policy/policed-run.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';
import { type CommonArguments, loadScript } from './run-arguments.js';

/** A recorded run that is to continue, as the call wants it. */
export interface ContinuedRun {
  readonly manifest: Manifest;
  readonly extensions: ChosenExtensions;
  readonly keys: Keys;
  readonly compilation: Compilation;
  /** The script that the call names. */
  readonly given: SimulationScript | undefined;
  /** The same, or else that of the run. */
  readonly script: SimulationScript;
  readonly simulate: boolean;
  /** True if the run was started with a budget, or this call gives it one. */
  readonly isBudgeted: boolean;
  /**
   * Policy for its stages, if a server that lets no pipeline run commands began it, and this call does not
   * lift that.
   */
  readonly policed: PolicedRun | undefined;
}

/** Options of the commands that continue with a run. */
export interface ContinueArguments extends CommonArguments {
  readonly allowTools?: true;
}

/** Adds the options of the commands that continue with a run, besides those that `run` has. */
export function addContinueOptions(command: Command): Command {
  return (
    command
      // After `--simulate`: on its own it would make that the default.
      .option('--no-simulate', 'do real work from now on in a run that was simulated')
      .option(
        '--allow-tools',
        'allow commands and coding agents in a run that was submitted to a server without --allow-tools',
      )
  );
}

/** Reads a run, with what this call brings for it. @throws UsageError, or RunError where it cannot be read */
export async function readContinuedRun(
  directory: string,
  options: ContinueArguments,
  io: Io,
): Promise<ContinuedRun> {
  const { readManifest } = await import('../run-directory/manifest.js');
  const { runFiles } = await import('../run-directory/run-files.js');
  const { readPipeline } = await import('../run-directory/read-pipeline.js');
  const { recordedScript, settingsOf } = await import('../run-directory/manifest-settings.js');
  const { hasBudget } = await import('../setup/model-stages.js');
  const manifest = readManifest(directory);
  const manifestFile = `${directory}/${runFiles.manifest}`;
  const extensions = await extensionsOfRun(manifest.options.extensions, manifestFile, options, io);
  const keys = await keysFor(extensions.settings, io);
  const { compile } = await import('../compiler/compile.js');
  const compilation = compile(readPipeline(directory), {
    name: `${directory}/${runFiles.pipeline}`,
    ...compileOptionsOf(extensions),
  });
  const given = options.script === undefined ? undefined : await loadScript(options.script, io.cwd());
  const { simulate = manifest.options.simulate } = options;
  const isRestricted = manifest.options.restricted === true && options.allowTools !== true;
  return {
    manifest,
    extensions,
    keys,
    compilation,
    given,
    script: given ?? recordedScript(manifest),
    simulate,
    isBudgeted: hasBudget(options) || hasBudget(settingsOf(manifest)),
    policed: isRestricted
      ? {
          policy: { allowTools: true },
          isRestricted,
          extensions,
          simulate,
          keptByGit: manifest.git !== undefined,
          variables: keys.variables,
          workingDirectory: manifest.working_directory,
        }
      : undefined,
  };
}

/**
 * Chooses the backends of its LLM stages.
 * @throws UsageError if there is none for a stage, and if the run may not run parts of the pipeline
 */
export async function planContinuedRun(run: ContinuedRun, program: Program): Promise<BackendPlan> {
  await checkRestriction(run, program);
  const { planBackend } = await import('../setup/backend-plan.js');
  const { childHome } = await import('../run/children/child-file.js');
  const { manifest, extensions, keys, script, simulate, policed, isBudgeted } = run;
  const workingDirectory = manifest.working_directory;
  return planBackend({
    program,
    extensions,
    workingDirectory,
    variables: keys.variables,
    simulate,
    script,
    isBudgeted,
    childDirectory: childHome(manifest.source ?? undefined, workingDirectory),
    mayRunCommands: policed === undefined,
  });
}

/** @throws UsageError for commands in the pipeline of a run that a server began which lets none run */
async function checkRestriction({ policed, compilation }: ContinuedRun, program: Program): Promise<void> {
  if (policed === undefined) return;
  const { checkPolicy } = await import('../setup/policy/check-policy.js');
  const found = checkPolicy({ program, source: compilation.source }, policed);
  if (found.length > 0) throw new UsageError(found.map(({ message }) => message).join('\n'));
}
