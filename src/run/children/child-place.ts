import path from 'node:path';
import type { Stage } from '../../handlers/handler.js';
import { makeDirectory, writeFileAtomically } from '../../run-directory/durable-file.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { emptyView } from '../../view/fold/run-view.js';
import { catchUp } from './child-watch.js';

/** Attempt to which a child belongs, with the directory of its stage. */
export type ChildOwner = Pick<Stage, 'runId' | 'visit' | 'attempt' | 'stageDirectory'> & {
  readonly node: Pick<Stage['node'], 'id'>;
};

/**
 * Directory of an attempt's child (SEMANTICS 64): `<stage directory>/child`, from the second attempt on
 * with its number.
 */
export function childDirectory({
  stageDirectory,
  attempt,
}: Pick<ChildOwner, 'stageDirectory' | 'attempt'>): string {
  return path.join(stageDirectory, childName(attempt));
}

/** Name of an attempt's child in the directory of its stage. */
export function childName(attempt: number): string {
  return attempt === 1 ? 'child' : `child-${attempt}`;
}

/**
 * Renames a child that belongs to another visit, whose stage never settled, for example because the run
 * continued elsewhere and came back: this visit has a separate child.
 */
export function putForeignChildAside(directory: string, owner: ChildOwner, fileSystem: FileSystem): void {
  if (!holdsRun(directory, fileSystem)) return;
  const manifest = readManifest(directory, fileSystem);
  if (isChildOf(manifest, owner)) return;
  const visit = path.join(owner.stageDirectory, `visit-${manifest.parent?.visit ?? 0}`);
  const place = path.join(visit, path.basename(directory));
  let free = place;
  for (let number = 2; fileSystem.exists(free); number += 1) free = `${place}.${number}`;
  guard(directory, () => {
    makeDirectory(visit, fileSystem);
    fileSystem.rename(directory, free);
  });
}

function guard(directory: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const what = describeSystemError(error);
    throw new RunError('storage', `the child run ${directory} could not be moved: ${what}`, { cause: error });
  }
}

/**
 * Takes over the child of the visit before, when a run continues that failed at this stage: finished work
 * of the child is not repeated, wherever the child was moved since.
 * @throws RunError `run_damaged` if another run has its directory
 */
export function adoptChild(directory: string, owner: ChildOwner, fileSystem: FileSystem): void {
  if (holdsRun(directory, fileSystem)) return;
  const left = lastChildOf(owner, fileSystem);
  if (left === undefined || !holdsRun(left, fileSystem)) return;
  const manifest = readManifest(left, fileSystem);
  const { runId, node, visit, attempt } = owner;
  if (manifest.parent?.run_id !== runId || manifest.parent.node_id !== node.id) {
    const what = `holds a run that was not started by stage "${node.id}" (${manifest.run_id})`;
    throw new RunError('run_damaged', `${left} ${what}. Restore the directory from a copy`);
  }
  const view = emptyView();
  catchUp(view, path.join(left, runFiles.journal));
  if (view.status === 'created') return;
  const parent = { run_id: runId, node_id: node.id, visit, attempt, adopted_at: view.seq };
  const text = `${JSON.stringify({ ...manifest, parent }, null, 2)}\n`;
  guard(left, () => {
    fileSystem.rename(left, directory);
    writeFileAtomically(path.join(directory, runFiles.manifest), text, fileSystem);
  });
}

/** Child of the last attempt of the visit before. */
function lastChildOf({ stageDirectory, visit }: ChildOwner, fileSystem: FileSystem): string | undefined {
  const directory = path.join(stageDirectory, `visit-${visit - 1}`);
  if (!fileSystem.exists(directory)) return undefined;
  const attempts = fileSystem.readdir(directory).flatMap((name) => {
    const match = /^child(?:-([0-9]+))?$/.exec(name);
    return match === null ? [] : [{ name, attempt: Number(match[1] ?? 1) }];
  });
  const last = attempts.sort((one, other) => other.attempt - one.attempt)[0];
  return last === undefined ? undefined : path.join(directory, last.name);
}

/** True if a child was started or taken over for this attempt. */
export function isChildOf(
  { parent }: Manifest,
  { node, runId, visit, attempt }: Omit<ChildOwner, 'stageDirectory'>,
): boolean {
  return (
    parent?.run_id === runId &&
    parent.node_id === node.id &&
    parent.visit === visit &&
    parent.attempt === attempt
  );
}
