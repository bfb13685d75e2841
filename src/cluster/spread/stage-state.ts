import { leftAfter } from './left-files.js';
import type { LeftFiles, StageStep } from './stage-queue.js';

/** State of a try of an attempt when an execution of it has ended. */
export interface StageState {
  /** Times that it has begun. */
  readonly executions: number;
  /** Executions that ended with the death of their worker. */
  readonly deaths: number;
  /** Files that it, or the tries before it, have left. */
  readonly left: LeftFiles | undefined;
}

/** @param steps of its latest execution, its beginning first. @returns undefined if it has not begun */
export function stateAfter([begun, ...steps]: readonly StageStep[]): StageState | undefined {
  if (begun?.kind !== 'begun') return undefined;
  const hasDied = steps.every(({ kind }) => kind !== 'left');
  const changes = steps.flatMap((step) => (step.kind === 'files' ? step.changes : []));
  return {
    executions: begun.execution,
    deaths: begun.deaths + (hasDied ? 1 : 0),
    left: leftAfter(begun.left, changes),
  };
}
