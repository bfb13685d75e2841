import path from 'node:path';
import { compareNames } from '../run-directory/compare-names.js';
import { isRealDirectory } from '../run-directory/durable-file.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { holdsRun } from '../run-directory/run-files.js';
import { activeVisits } from './active-stages.js';
import type { RunView } from './fold/run-view.js';

/** Run that a stage of another one has started (§9.4). */
export interface ChildRunLocation {
  /** Id of the stage's node. */
  readonly nodeId: string;
  readonly directory: string;
}

/**
 * Runs that stages of this one have started, in the directories of those stages (SEMANTICS 64): of the
 * latest visit, one for each attempt.
 */
export function childRunsOf(directory: string, view: RunView): readonly ChildRunLocation[] {
  const nodes = new Set([...view.statuses.keys(), ...activeVisits(view).map((visit) => visit.nodeId)]);
  return [...nodes].flatMap((nodeId) =>
    childrenIn(path.join(directory, view.stageDirectory, nodeId)).map((child) => ({
      nodeId,
      directory: child,
    })),
  );
}

/** Child runs of a stage; a stage that several branches execute has a directory for each. */
function childrenIn(stageDirectory: string): readonly string[] {
  const names = namesIn(stageDirectory);
  // Filtered first and sorted then: most of the names may be those of earlier visits.
  const placesOf = (kind: RegExp): readonly string[] =>
    names
      .filter((name) => kind.test(name))
      .sort(compareNames)
      .map((name) => path.join(stageDirectory, name));
  return [
    ...placesOf(/^child(?:-[0-9]+)?$/).filter(
      (child) => nodeFileSystem.stat(child)?.isDirectory() && holdsRun(child),
    ),
    ...placesOf(/^branch-[0-9]+$/).flatMap(childrenIn),
  ];
}

function namesIn(directory: string): readonly string[] {
  try {
    return isRealDirectory(directory) ? nodeFileSystem.readdir(directory) : [];
  } catch {
    return [];
  }
}
