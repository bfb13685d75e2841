import type { Severity } from '../../diagnostic/diagnostic.js';
import { listFirst } from '../../diagnostic/list-first.js';

/**
 * Something that a run lacks, or that its author should know, found before the run begins (SEMANTICS 121).
 * Plain data: programs get it as it is.
 */
export interface Finding {
  /** Id of the check. */
  readonly check: string;
  /** An error keeps the run from starting. */
  readonly severity: Severity;
  /** Stages concerned, `<node>/<node of the child>`; none if it is about the whole run. */
  readonly stages: readonly string[];
  /** Sentence with what was found, without a full stop at the end. */
  readonly message: string;
  /** Remedy. */
  readonly help?: string | undefined;
}

/** Message with the stages concerned. */
export function describeFinding({ message, stages }: Pick<Finding, 'message' | 'stages'>): string {
  return stages.length === 0 ? message : `${message} (${listFirst(stages)})`;
}
