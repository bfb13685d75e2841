import type { Compilation } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { BackendPlan } from '../setup/backend-plan.js';
import { compileOptionsOf, extensionsOfRun } from '../setup/extensions.js';
import { type Keys, keysFor } from '../setup/keys.js';
import type { Io } from './io.js';
import { type CommonArguments, loadScript } from './run-arguments.js';

/** A recorded run that is to go on, as the call wants it. */
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
}

/** Reads a run, with what this call brings for it. @throws UsageError, or RunError where it cannot be read */
export async function readContinuedRun(
  directory: string,
  options: CommonArguments,
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
  const given = options.script === undefined ? undefined : await loadScript(options.script, io.cwd());
  const { simulate = manifest.options.simulate } = options;
  return {
    manifest,
    extensions,
    keys,
    compilation,
    given,
    script: given ?? recordedScript(manifest),
    simulate,
  };
}

/** Decides who does the work of its LLM stages. @throws UsageError where nobody can */
export async function planContinuedRun(run: ContinuedRun, program: Program): Promise<BackendPlan> {
  const { planBackend } = await import('../setup/backend-plan.js');
  const { childHome } = await import('../run/children/child-file.js');
  const { manifest, extensions, keys, script, simulate } = run;
  const workingDirectory = manifest.working_directory;
  return planBackend({
    program,
    extensions,
    workingDirectory,
    variables: keys.variables,
    simulate,
    script,
    childDirectory: childHome(manifest.source ?? undefined, workingDirectory),
  });
}
