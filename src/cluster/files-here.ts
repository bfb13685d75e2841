import path from 'node:path';
import { writeFileAtomically } from '../run-directory/durable-file.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { runFiles } from '../run-directory/run-files.js';
import { cloneFiles } from '../workspaces/keep-files.js';

/**
 * Brings the files that git keeps for a run to this machine, if they are on a remote (SEMANTICS 143).
 * @param directory of the run, whose manifest says then where they are here
 */
export async function filesHere(directory: string): Promise<Manifest> {
  const manifest = readManifest(directory);
  const { git } = manifest;
  const clone = await cloneFiles(manifest, path.join(path.dirname(path.resolve(directory)), clones));
  if (git === undefined || clone === undefined) return manifest;
  const { repository, files } = clone;
  const source = manifest.source && moved(manifest.source, git.repository, files);
  const here: Manifest = {
    ...manifest,
    source,
    working_directory: path.join(files, git.subdirectory),
    git: { ...git, repository },
  };
  const file = path.join(directory, runFiles.manifest);
  writeFileAtomically(file, `${JSON.stringify(here, null, 2)}\n`, nodeFileSystem);
  return here;
}

/** Directory of the clones, next to the directories of the runs. */
const clones = '.clones';

/** Path of a file of a repository in another checkout; a file elsewhere stays where it is. */
function moved(file: string, repository: string, checkout: string): string {
  const place = path.relative(repository, file);
  return place.startsWith('..') || path.isAbsolute(place) ? file : path.join(checkout, place);
}
