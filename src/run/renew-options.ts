import path from 'node:path';
import { writeFileAtomically } from '../run-directory/durable-file.js';
import type { FileSystem } from '../run-directory/file-system.js';
import type { Manifest } from '../run-directory/manifest.js';
import { describeSystemError, RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';

/**
 * Records the changed options of a run in the manifest, so that the next resume need not repeat them
 * (SEMANTICS 86).
 * @throws RunError `storage`
 */
export function renewOptions(
  directory: string,
  renewed: Partial<Manifest['options']>,
  fileSystem: FileSystem,
): void {
  if (Object.keys(renewed).length === 0) return;
  const file = path.join(directory, runFiles.manifest);
  try {
    // As it is written there, with fields unknown to this version.
    const manifest = JSON.parse(fileSystem.readFile(file).toString('utf8')) as Manifest;
    const options = { ...manifest.options, ...renewed };
    writeFileAtomically(file, `${JSON.stringify({ ...manifest, options }, null, 2)}\n`, fileSystem);
  } catch (error) {
    throw new RunError(
      'storage',
      `${file} could not be rewritten: ${describeSystemError(error)}. Nothing was executed; fix the cause, then resume the run`,
      { cause: error },
    );
  }
}
