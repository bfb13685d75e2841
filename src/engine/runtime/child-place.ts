import path from 'node:path';
import type { Stage } from '../handlers/handler.js';
import { ChildWatch } from './child-watch.js';
import { makeDirectory, writeFileAtomically } from './durable-file.js';
import type { FileSystem } from './file-system.js';
import { type Manifest, readManifest } from './manifest.js';
import { describeSystemError, RunError } from './run-error.js';
import { holdsRun, runFiles } from './run-files.js';

/** Which attempt a child belongs to, and where that keeps its files. */
export type ChildOwner = Pick<Stage, 'node' | 'runId' | 'visit' | 'attempt' | 'stageDirectory'>;

/** Where the child of an attempt is kept (SEMANTICS 64): `<stage directory>/child`, from the second attempt on with its number. */
export function childDirectory({ stageDirectory, attempt }: ChildOwner): string {
  return path.join(stageDirectory, attempt === 1 ? 'child' : `child-${attempt}`);
}

/**
 * Puts a child aside that belongs to another visit, whose stage never settled, as when a run goes on elsewhere and comes
 * back: this visit has a child of its own.
 */
export function putForeignChildAside(directory: string, owner: ChildOwner, fileSystem: FileSystem): void {
  if (!holdsRun(directory, fileSystem)) return;
  const manifest = readManifest(directory, fileSystem);
  if (isOwn(manifest, owner)) return;
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
 * Takes back the child of the visit before that failed, or was cancelled with its stage, when a run goes on that failed at
 * this stage: what had finished in the child is not done again.
 * @returns whether there was one
 */
export function adoptFailedChild(directory: string, owner: ChildOwner, fileSystem: FileSystem): boolean {
  if (holdsRun(directory, fileSystem)) return false;
  const failed = lastChildOf(owner, fileSystem);
  if (failed === undefined || !['fail', 'cancelled'].includes(statusOf(failed))) return false;
  const { runId, node, visit, attempt } = owner;
  const parent = { run_id: runId, node_id: node.id, visit, attempt };
  const manifest = { ...readManifest(failed, fileSystem), parent };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  guard(failed, () => {
    fileSystem.rename(failed, directory);
    writeFileAtomically(path.join(directory, runFiles.manifest), text, fileSystem);
  });
  return true;
}

/** The child of the last attempt of the visit before. */
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

function statusOf(directory: string): string {
  const watch = new ChildWatch();
  watch.catchUp(path.join(directory, runFiles.journal));
  return watch.status;
}

function isOwn({ parent }: Manifest, { node, runId, visit, attempt }: ChildOwner): boolean {
  return (
    parent?.run_id === runId &&
    parent.node_id === node.id &&
    parent.visit === visit &&
    parent.attempt === attempt
  );
}
