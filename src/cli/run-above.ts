import path from 'node:path';
import { type Manifest, readManifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';

/**
 * The run to be resumed where a child run (§9.4) has paused: the one furthest above it that pauses with it, or itself.
 * @param pausesToo whether a run above does
 */
export function runToResume(directory: string, pausesToo: (above: string) => boolean): string {
  const above = runAbove(directory);
  return above === undefined || !pausesToo(above) ? directory : runToResume(above, pausesToo);
}

/** The directory of the run whose stage has started this one; undefined where there is none any more. */
function runAbove(directory: string): string | undefined {
  const id = manifestIn(directory)?.parent_run ?? undefined;
  if (id === undefined) return undefined;
  // Its stage may be a branch's, or in what a restart began.
  for (let place = path.resolve(directory); place !== path.dirname(place); ) {
    place = path.dirname(place);
    if (manifestIn(place)?.run_id === id) return place;
  }
  return undefined;
}

function manifestIn(directory: string): Manifest | undefined {
  try {
    return readManifest(directory);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
