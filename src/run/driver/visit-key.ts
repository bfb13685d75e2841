/** Parts of a visit's key. */
export interface VisitKeyParts {
  /** `restart-<n>`, or nothing. */
  readonly restart: string;
  /** Empty on the main line. */
  readonly branch: string;
  readonly nodeId: string;
  /** Ordinal of the visit in the branch; a restart counts from 1 again. */
  readonly lineVisit: number;
}

/** Key of a visit in its run, independent of other branches (SEMANTICS 106). */
export function visitKey({ restart, branch, nodeId, lineVisit }: VisitKeyParts): string {
  return [restart, branch, nodeId, String(lineVisit)].filter((part) => part !== '').join('/');
}
