import path from 'node:path';
import { writeFileAtomically } from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { Manifest } from '../run-directory/manifest.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { type SimulationScript, scriptToJson } from '../run-directory/simulation-script.js';
import { noRedactor, type Redactor } from '../secrets/redactor.js';

/** What may be replaced for the rest of a run. */
export interface RenewedOptions {
  readonly script?: SimulationScript | undefined;
  readonly seed?: number | undefined;
  /** Whether stages only pretend to do their work from now on. */
  readonly simulate?: boolean | undefined;
  /** Set where LLM stages were simulated for want of a backend, and there is one now. */
  readonly hasBackend?: true | undefined;
  /** Set where what stages do is written down from now on. */
  readonly record?: true | undefined;
  /** Set where stages do real work now that did not before. */
  readonly handlerTypes?: readonly string[] | undefined;
}

/**
 * Records in the manifest what a run goes on with, so that whoever resumes it next need not repeat it (SEMANTICS 86).
 * @throws RunError `storage`
 */
export function renewOptions(
  directory: string,
  renewed: RenewedOptions,
  fileSystem: FileSystem,
  redactor: Redactor = noRedactor,
): void {
  if (Object.values(renewed).every((value) => value === undefined)) return;
  const { script, seed, simulate, hasBackend, handlerTypes, record } = renewed;
  const file = path.join(directory, runFiles.manifest);
  try {
    // As it is written there, with whatever this version knows nothing of.
    const manifest = JSON.parse(fileSystem.readFile(file).toString('utf8')) as Manifest;
    const options = {
      ...manifest.options,
      ...(script && { script: redactor.json(scriptToJson(script)) }),
      ...(seed !== undefined && { seed }),
      ...(simulate !== undefined && { simulate }),
      ...(hasBackend && { has_backend: true }),
      ...(record && { record: true }),
      ...(handlerTypes && { handler_types: handlerTypes }),
    };
    writeFileAtomically(file, `${JSON.stringify({ ...manifest, options }, null, 2)}\n`, fileSystem);
  } catch (error) {
    throw new RunError(
      'storage',
      `${file} could not be renewed: ${describeSystemError(error)}. Nothing was executed; resume the run once the cause is gone`,
      { cause: error },
    );
  }
}
