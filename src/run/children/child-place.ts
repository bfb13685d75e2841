import path from 'node:path';
import type { ChildRequest } from '../../handlers/child-runner.js';
import type { Stage } from '../../handlers/handler.js';
import { makeDirectory, writeFileAtomically } from '../../run-directory/durable-file.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { describeSystemError, RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { emptyView } from '../../view/fold/run-view.js';
import type { LeftVisit } from '../continuation.js';
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
  const visit = path.join(owner.stageDirectory, visitDirectory(manifest.parent?.visit ?? 0));
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
 * Takes over the child of an earlier visit, when a run continues that failed at this stage: finished work
 * of the child is not repeated, wherever the child was moved since. It works where its stage does now: a
 * branch that continues may have a work tree of its own.
 * @throws RunError `run_damaged` if another run has its directory
 */
export function adoptChild(
  directory: string,
  owner: ChildOwner & Pick<ChildRequest, 'workingDirectory'>,
  { visit, childId }: LeftVisit,
  fileSystem: FileSystem,
): void {
  if (holdsRun(directory, fileSystem)) return;
  const left = findMovedChild(owner.stageDirectory, fileSystem, ({ place, manifest }) => {
    if (isOfStage(manifest, owner))
      return childId === undefined ? manifest.parent?.visit === visit : manifest.run_id === childId;
    if (path.basename(path.dirname(place)) !== visitDirectory(owner.visit - 1)) return false;
    const what = `holds a run that was not started by stage "${owner.node.id}" (${manifest.run_id})`;
    throw new RunError('run_damaged', `${place} ${what}. Restore the directory from a copy`);
  });
  if (left === undefined) return;
  const view = emptyView();
  catchUp(view, path.join(left.place, runFiles.journal));
  if (view.status === 'created') return;
  const { runId, node, attempt, workingDirectory } = owner;
  const parent = { run_id: runId, node_id: node.id, visit: owner.visit, attempt, adopted_at: view.seq };
  const manifest = { ...workingIn(path.resolve(workingDirectory), left.manifest), parent };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  guard(left.place, () => {
    fileSystem.rename(left.place, directory);
    writeFileAtomically(path.join(directory, runFiles.manifest), text, fileSystem);
  });
}

/** The manifest of a run that works in another directory, and so in another work tree of its repository. */
function workingIn(directory: string, manifest: Manifest): Manifest {
  const { working_directory: before, git } = manifest;
  if (directory === before) return manifest;
  const repository = path.resolve(directory, path.relative(git?.subdirectory ?? '', ''));
  return { ...manifest, working_directory: directory, git: git && { ...git, repository } };
}

/** Child in a directory. */
export interface PlacedChild {
  readonly place: string;
  readonly manifest: Manifest;
}

/**
 * The first child that is the wanted one, of those that were moved away for later visits of their stage; the
 * last attempt of the last visit comes first. A directory is named for the visit before the one that moved
 * its files there: where branches share a node, that need not be the visit to which they belong.
 */
export function findMovedChild(
  stageDirectory: string,
  fileSystem: FileSystem,
  isWanted: (child: PlacedChild) => boolean,
): PlacedChild | undefined {
  for (const visit of numbered(stageDirectory, /^visit-([0-9]+)$/, fileSystem))
    for (const place of numbered(visit, /^child(?:-([0-9]+))?$/, fileSystem)) {
      const child = holdsRun(place, fileSystem)
        ? { place, manifest: readManifest(place, fileSystem) }
        : undefined;
      if (child !== undefined && isWanted(child)) return child;
    }
  return undefined;
}

/** Entries of a directory whose names have a number, the highest one first. */
function numbered(directory: string, pattern: RegExp, fileSystem: FileSystem): readonly string[] {
  if (!fileSystem.exists(directory)) return [];
  const entries = fileSystem.readdir(directory).flatMap((name) => {
    const match = pattern.exec(name);
    return match === null ? [] : [{ entry: path.join(directory, name), number: Number(match[1] ?? 1) }];
  });
  return entries.sort((one, other) => other.number - one.number).map(({ entry }) => entry);
}

function visitDirectory(visit: number): string {
  return `visit-${visit}`;
}

function isOfStage({ parent }: Manifest, { runId, node }: Pick<ChildOwner, 'runId' | 'node'>): boolean {
  return parent?.run_id === runId && parent.node_id === node.id;
}

/** True if a child was started or taken over for this attempt. */
export function isChildOf(manifest: Manifest, owner: Omit<ChildOwner, 'stageDirectory'>): boolean {
  const { parent } = manifest;
  return isOfStage(manifest, owner) && parent?.visit === owner.visit && parent.attempt === owner.attempt;
}
