import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { compareNames } from '../run-directory/compare-names.js';
import { holdsRun } from '../run-directory/run-files.js';
import { isOfOthers } from '../run-directory/stage-path.js';
import type { VisitRecord } from './fold/visit-record.js';
import type { StageVisit } from './stage-schema.js';
import { visitDirectory } from './visit-directory.js';

type StageFile = StageVisit['files'][number];

/** Programs leave what they like: no more than that is listed of a visit, and nothing that is deeper. */
const filesListed = 500;
const deepest = 8;

/**
 * The files that a visit has left, by name (§5.6). Links are not followed, and the runs that it has started have files of
 * their own.
 * @param directory of the run
 */
export function visitFiles(
  directory: string,
  visit: Pick<VisitRecord, 'place' | 'archivedAs'>,
): readonly StageFile[] {
  const found: StageFile[] = [];
  const place = visitDirectory(visit);
  if (isOwn(directory, place)) collect(path.join(directory, place), '', found);
  return found;
}

/** Nothing that a program has put in the place of the directory is looked into. */
function isOwn(directory: string, place: string): boolean {
  try {
    return realpathSync(path.join(directory, place)) === path.join(realpathSync(directory), place);
  } catch {
    return false;
  }
}

function collect(directory: string, below: string, found: StageFile[]): void {
  const entries = entriesOf(path.join(directory, below));
  // Sorted when only its own are left: most of the others may be earlier visits.
  const own = below === '' ? entries.filter(({ name }) => !isOfOthers(name)) : entries;
  for (const entry of own.sort((one, other) => compareNames(one.name, other.name))) {
    if (found.length >= filesListed) return;
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) {
      const bytes = sizeOf(path.join(directory, name));
      if (bytes !== undefined) found.push({ path: name, bytes });
    } else if (entry.isDirectory() && name.split('/').length < deepest) {
      if (!holdsRun(path.join(directory, name))) collect(directory, name, found);
    }
  }
}

/** A visit that has left nothing has no directory. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A file may be gone again meanwhile. */
function sizeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.size;
}
