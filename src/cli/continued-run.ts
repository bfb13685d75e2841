import type { Command } from 'commander';
import type { Compilation } from '../compiler/compile.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { compileOptionsOf, extensionsOfRun } from '../setup/extensions.js';
import { type Keys, keysFor } from '../setup/keys.js';
import type { PolicedRun } from '../setup/policy/policed-run.js';
import type { Budgets } from '../setup/preflight/planned-pipelines.js';
import type { Preflight } from '../setup/preflight/preflight.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';
import { type CommonArguments, settingsOfCall } from './run-arguments.js';

/** A recorded run that is to continue, as the call wants it. */
export interface ContinuedRun {
  readonly manifest: Manifest;
  readonly extensions: ChosenExtensions;
  readonly keys: Keys;
  readonly compilation: Compilation;
  readonly directory: string;
  /** Settings that the call gives. */
  readonly settings: RecordedSettings;
  /** The script that the call names, or else that of the run. */
  readonly script: SimulationScript;
  readonly simulate: boolean;
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
  const { recordedScript } = await import('../run-directory/manifest-settings.js');
  const manifest = readManifest(directory);
  const manifestFile = `${directory}/${runFiles.manifest}`;
  const extensions = await extensionsOfRun(manifest.options.extensions, manifestFile, options, io);
  const keys = await keysFor(extensions.settings, io);
  const { compile } = await import('../compiler/compile.js');
  const compilation = compile(readPipeline(directory), {
    name: `${directory}/${runFiles.pipeline}`,
    ...compileOptionsOf(extensions),
  });
  const settings = await settingsOfCall(options, compilation.graph, io);
  const { simulate = manifest.options.simulate } = options;
  const isRestricted = manifest.options.restricted === true && options.allowTools !== true;
  return {
    directory,
    manifest,
    extensions,
    keys,
    compilation,
    settings,
    script: settings.script ?? recordedScript(manifest),
    simulate,
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

/** Budgets of a run when it continues with real work (SEMANTICS 126). */
async function budgetsOf(
  directory: string,
  { options: before }: Manifest,
  { budgetUsd, budgetTokens }: RecordedSettings,
): Promise<Budgets> {
  const { readView } = await import('../view/read-view.js');
  const { limits } = readView(directory).usage;
  const byDefault = before.simulate ? before.default_budget_usd : undefined;
  const tokens = limits.get('tokens');
  return {
    budgetUsd: budgetUsd ?? limits.get('usd') ?? byDefault,
    budgetTokens: budgetTokens ?? (tokens === 'none' ? undefined : tokens),
  };
}

/**
 * Looks at everything that the rest of the run will need.
 * @param from node at which it continues; undefined for where it stopped
 * @throws UsageError if the run may not run parts of the pipeline
 */
export async function preflightContinued(run: ContinuedRun, from: string | undefined): Promise<Preflight> {
  const { directory, manifest, extensions, keys, script, settings, simulate, policed } = run;
  const { graph, program } = run.compilation;
  await checkRestriction(run);
  const { preflight } = await import('../setup/preflight/preflight.js');
  const { stagesLeft } = await import('../setup/preflight/stages-left.js');
  const { childHome } = await import('../run/children/child-file.js');
  const workingDirectory = manifest.working_directory;
  return preflight({
    graph,
    extensions,
    workingDirectory,
    variables: keys.variables,
    hiddenVariables: keys.hiddenVariables,
    simulate,
    script,
    inputs: { ...manifest.inputs, ...settings.inputs },
    budgets: simulate ? undefined : await budgetsOf(directory, manifest, settings),
    stageBudgets: settings.stageBudgets,
    areFilesLinted: false,
    childDirectory: childHome(manifest.source ?? undefined, workingDirectory),
    mayRunCommands: policed === undefined,
    stagesLeft: () => program && stagesLeft(directory, program, from),
  });
}

/** @throws UsageError for commands in the pipeline of a run that a server began which lets none run */
async function checkRestriction({ policed, compilation }: ContinuedRun): Promise<void> {
  const { program } = compilation;
  if (policed === undefined || program === undefined) return;
  const { checkPolicy } = await import('../setup/policy/check-policy.js');
  const found = checkPolicy({ program, source: compilation.source }, policed);
  if (found.length > 0) throw new UsageError(found.map(({ message }) => message).join('\n'));
}
