import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { compareNames } from '../run-directory/compare-names.js';
import { holdsRun } from '../run-directory/run-files.js';
import { isOfOthers } from '../run-directory/stage-path.js';
import type { VisitRecord } from './fold/visit-record.js';
import type { StageVisit } from './stage-schema.js';
import { visitDirectory } from './visit-directory.js';

type StageFile = StageVisit['files'][number];

/** Maximum of files that are listed of a visit: programs may leave any number. */
const filesListed = 500;
const deepest = 8;

/**
 * Files that a visit has left, by name (§5.6). Links are not followed, and the runs that it has started
 * have separate files.
 * @param directory of the run
 */
export function visitFiles(
  directory: string,
  visit: Pick<VisitRecord, 'place' | 'archivedAs'>,
): readonly StageFile[] {
  const files: StageFile[] = [];
  const visitPath = visitDirectory(visit);
  if (isOwn(directory, visitPath)) collect(path.join(directory, visitPath), '', files);
  return files;
}

/** True if the directory is the real one, and not a link that a program has put in its place. */
function isOwn(directory: string, visitPath: string): boolean {
  try {
    return realpathSync(path.join(directory, visitPath)) === path.join(realpathSync(directory), visitPath);
  } catch {
    return false;
  }
}

function collect(directory: string, below: string, files: StageFile[]): void {
  const entries = entriesOf(path.join(directory, below));
  // Sorted after filtering: most of the others may be earlier visits.
  const ownEntries = below === '' ? entries.filter(({ name }) => !isOfOthers(name)) : entries;
  for (const entry of ownEntries.sort((one, other) => compareNames(one.name, other.name))) {
    if (files.length >= filesListed) return;
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) {
      const bytes = sizeOf(path.join(directory, name));
      if (bytes !== undefined) files.push({ path: name, bytes });
    } else if (entry.isDirectory() && name.split('/').length < deepest) {
      if (!holdsRun(path.join(directory, name))) collect(directory, name, files);
    }
  }
}

/** Entries of a directory; none if a visit has left nothing. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Size of a file, which may be gone again meanwhile. */
function sizeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.size;
}
