import path from 'node:path';
import type { Stage } from '../handlers/handler.js';
import { makeDirectory } from './durable-file.js';
import type { FileSystem } from './file-system.js';
import { type Manifest, readManifest } from './manifest.js';
import { holdsRun } from './run-directory.js';

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
  makeDirectory(visit, fileSystem);
  const place = path.join(visit, path.basename(directory));
  let free = place;
  for (let number = 2; fileSystem.exists(free); number += 1) free = `${place}.${number}`;
  fileSystem.rename(directory, free);
}

function isOwn({ parent }: Manifest, { node, runId, visit, attempt }: ChildOwner): boolean {
  return (
    parent?.run_id === runId &&
    parent.node_id === node.id &&
    parent.visit === visit &&
    parent.attempt === attempt
  );
}
