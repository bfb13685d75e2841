import path from 'node:path';
import type { FileSystem } from '../run-directory/file-system.js';
import type { Manifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import type { Resumption, RunMessage } from './durable-run.js';

/** Message by which a person resumes a run. */
export type ResumeMessage = Extract<RunMessage, { kind: 'resume' }>;

/**
 * The call as it is recorded, once the run has begun to continue.
 * @param manifest text of the manifest so far; that in the directory says which options the call has changed
 */
export function resumptionOf(
  { settings = {} }: ResumeMessage,
  manifest: string,
  directory: string,
  fileSystem: FileSystem,
): Resumption {
  const written = fileSystem.readFile(path.join(directory, runFiles.manifest)).toString('utf8');
  const { options } = JSON.parse(written) as Manifest;
  const renewed = `${JSON.stringify({ ...JSON.parse(manifest), options }, null, 2)}\n`;
  return { settings, manifest: renewed === manifest ? undefined : renewed };
}
