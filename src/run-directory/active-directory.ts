import { writeFileAtomically } from './durable-file.js';
import type { FileSystem } from './file-system.js';

/**
 * Notes in `manifest.json` where the stages keep their files since the latest restart (SEMANTICS 36); a run that was never
 * restarted has no such entry.
 * @param name relative to the run directory
 */
export function recordActiveDirectory(manifestFile: string, name: string, fileSystem: FileSystem): void {
  // As it is written there, with whatever this version knows nothing of.
  const manifest: object = JSON.parse(fileSystem.readFile(manifestFile).toString('utf8'));
  if ('active_directory' in manifest && manifest.active_directory === name) return;
  const text = `${JSON.stringify({ ...manifest, active_directory: name }, null, 2)}\n`;
  writeFileAtomically(manifestFile, text, fileSystem);
}
