import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { redactedSource } from '../secrets/redact-source.js';
import { compileOptionsOf, extensionsFor } from '../setup/extensions.js';
import { type Keys, keysFor } from '../setup/keys.js';
import type { Preflight } from '../setup/preflight/preflight.js';
import type { Io } from './io.js';
import { readSource } from './read-source.js';
import { type CommonArguments, settingsOfCall } from './run-arguments.js';

/** A pipeline that a call wants to run, with what the call brings for it. */
export interface RunCall {
  readonly compilation: Compilation;
  readonly extensions: ChosenExtensions;
  readonly keys: Keys;
  readonly settings: RecordedSettings;
  /** Undefined for standard input. */
  readonly sourcePath: string | undefined;
  /** Notice about secrets that were removed from the text. */
  readonly notice: string | undefined;
}

/**
 * Reads and compiles the pipeline of a call, and the files that the call names.
 * @param replay directory of the run that it plays back, which has the files of the pipeline
 * @throws UsageError or RunError for a file that cannot be read
 */
export async function readRunCall(
  file: string,
  options: CommonArguments,
  io: Io,
  replay?: string,
): Promise<RunCall> {
  const { name, text } = await readSource(file, io);
  const { compile } = await import('../compiler/compile.js');
  const { pipelineFiles } = await import('../run/pipeline-files.js');
  const { withProperties } = await import('../plugins/load-extensions.js');
  const { propertiesBeside } = await import('./read-properties.js');
  const beside = await propertiesBeside(file, undefined, io);
  const extensions = withProperties(await extensionsFor(file, options, io), beside);
  const keys = await keysFor(extensions.settings, io);
  const sourcePath = file === '-' ? undefined : path.resolve(io.cwd(), file);
  const { text: clean, notice } = redactedSource(text, keys.redactor);
  const compilation = compile(clean, {
    name,
    ...compileOptionsOf(extensions),
    files:
      replay === undefined
        ? pipelineFiles(sourcePath, { directory: io.cwd(), secrets: keys.redactor })
        : undefined,
  });
  const settings = await settingsOfCall(options, compilation.graph, io);
  return { compilation, extensions, keys, settings, sourcePath, notice };
}

interface PreflightWay {
  /** False before the call that runs it, which gives the inputs. */
  readonly areInputsKnown?: boolean;
  /** True if the workers of a cluster execute the run. */
  readonly isSubmitted?: boolean;
}

/** Looks at everything that the run will need. */
export async function preflightOf(
  { compilation, extensions, keys, settings, sourcePath }: RunCall,
  workingDirectory: string,
  { areInputsKnown = true, isSubmitted = false }: PreflightWay = {},
): Promise<Preflight> {
  const { preflight } = await import('../setup/preflight/preflight.js');
  const { childHome } = await import('../run/children/child-file.js');
  const { emptyScript } = await import('../run-directory/simulation-script.js');
  const { simulate = false, script = emptyScript, inputs = {}, budgetTokens, stageBudgets } = settings;
  const { budgetOfNewRun } = await import('../run/default-budget.js');
  return preflight({
    graph: compilation.graph,
    extensions,
    workingDirectory,
    variables: keys.variables,
    hiddenVariables: keys.hiddenVariables,
    simulate,
    script,
    inputs: areInputsKnown ? { ...script.inputs, ...inputs } : undefined,
    budgets: { budgetUsd: budgetOfNewRun(settings, compilation.graph, extensions), budgetTokens },
    stageBudgets,
    isSubmitted,
    areFilesLinted: true,
    childDirectory: childHome(sourcePath, workingDirectory),
  });
}
