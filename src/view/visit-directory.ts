import path from 'node:path';
import type { VisitRecord } from './fold/visit-record.js';

/**
 * Directory of a visit's files, relative to the run directory; earlier visits are in the archive (SEMANTICS
 * 71a).
 */
export function visitDirectory({ place, archivedAs }: Pick<VisitRecord, 'place' | 'archivedAs'>): string {
  return archivedAs === undefined ? place : path.posix.join(place, `visit-${archivedAs}`);
}
