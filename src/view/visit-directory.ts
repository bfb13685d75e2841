import path from 'node:path';
import type { VisitRecord } from './visit-record.js';

/** Where the files of a visit are, relative to the run directory; earlier visits are in the archive (SEMANTICS 71a). */
export function visitDirectory({ place, archivedAs }: Pick<VisitRecord, 'place' | 'archivedAs'>): string {
  return archivedAs === undefined ? place : path.posix.join(place, `visit-${archivedAs}`);
}

/** In the directory of a stage, what belongs to other visits, or to the branches that execute it too. */
export function isOfOthers(name: string): boolean {
  return /^(?:visit|branch)-[0-9]+$/.test(name);
}
