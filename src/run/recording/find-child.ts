import path from 'node:path';
import type { FileSystem } from '../../run-directory/file-system.js';
import { readManifest } from '../../run-directory/manifest.js';
import { holdsRun } from '../../run-directory/run-files.js';
import type { RecordedRun } from './recorded-run.js';

/** Stage whose child is looked for. */
export interface ParentVisit {
  /** Path of its files, relative to the run directory. */
  readonly place: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
}

/**
 * Directory of an attempt's child in a recorded run (§9.4), even if later visits have moved it. If the child
 * failed, and a later visit has continued it after a resume, its manifest names that visit.
 */
export function findRecordedChild(
  { directory, manifest }: Pick<RecordedRun, 'directory' | 'manifest'>,
  stage: ParentVisit,
  fileSystem: FileSystem,
): string | undefined {
  const home = path.join(directory, stage.place);
  const homes = [home, ...entries(home, /^visit-[0-9]+$/, fileSystem)];
  const children = homes
    .flatMap((parentDirectory) => entries(parentDirectory, /^child/, fileSystem))
    .filter((child) => holdsRun(child, fileSystem))
    .map((child) => ({ child, parent: readManifest(child, fileSystem).parent }))
    .flatMap(({ child, parent }) =>
      parent?.run_id === manifest.run_id && parent.node_id === stage.nodeId ? [{ child, parent }] : [],
    );
  const own = children.find(({ parent }) => parent.visit === stage.visit && parent.attempt === stage.attempt);
  if (own !== undefined) return own.child;
  const [next] = children
    .filter(({ parent }) => parent.adopted_at !== undefined && parent.visit > stage.visit)
    .sort((one, other) => one.parent.visit - other.parent.visit);
  return next?.child;
}

function entries(directory: string, pattern: RegExp, fileSystem: FileSystem): readonly string[] {
  if (!fileSystem.exists(directory)) return [];
  return fileSystem
    .readdir(directory)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => path.join(directory, name));
}
