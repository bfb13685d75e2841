import type { RunState } from './state.js';

/**
 * Why a stage must not be gone back to by itself: it has failed for the same reason before, and that reason does not go
 * away by another try, as with a key that is refused (Appendix D). Undefined where it may.
 */
export function repeatedFailure(state: RunState, nodeId: string): string | undefined {
  const failure = state.terminalFailures.get(nodeId);
  if (failure === undefined || failure.count < 2) return undefined;
  return `"${nodeId}" has failed ${failure.count} times for the same reason, which another try does not change, so the run does not go back once more`;
}
