import { categoryOfRunFailure } from './categorize-failure.js';
import type { FailureKind } from './event.js';
import { branchOf, mainCursor } from './state.js';
import type { Transition } from './transition.js';

/**
 * Ends the run with a failure. Running stages are stopped; if the branches stay in place, they run again on
 * a resume.
 */
export function fail(
  transition: Transition,
  kind: FailureKind,
  error: string,
  nodeId: string,
  { resumeAt = nodeId, branch = mainCursor }: { readonly resumeAt?: string; readonly branch?: string } = {},
): void {
  transition.emit({
    type: 'PipelineFailed',
    error,
    duration: runDuration(transition),
    kind,
    node_id: nodeId,
    resume_at: resumeAt === nodeId ? undefined : resumeAt,
    failure_category: categoryOfRunFailure(kind, transition.state.outcomes.get(resumeAt)),
    branch: branchOf(branch),
  });
  abortAll(transition, 'paused', error);
}

/** Stops the work of every cursor. */
export function abortAll(transition: Transition, why: 'paused' | 'cancelled', reason: string): void {
  for (const { id, phase } of transition.state.cursors.values()) {
    if (phase !== 'finished') transition.perform({ kind: 'abort', cursor: id, why, reason });
  }
}

/** Milliseconds since the run started, pauses included. */
export function runDuration(transition: Transition): number {
  return transition.input.now - transition.state.startedAt;
}
