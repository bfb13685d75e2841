import { type PersistentMap, persistentMap } from './persistent.js';
import type { RunState, TerminalFailure } from './state.js';

/**
 * Maximum of terminal failures of a stage, for the same reason and in a row, after which it is not entered
 * again (SEMANTICS 127).
 */
const mostInARow = 2;

const none = persistentMap<string, TerminalFailure>();

function failuresOf(state: RunState, nodeId: string): PersistentMap<string, TerminalFailure> {
  return state.terminalFailures.get(nodeId) ?? none;
}

/**
 * Reason why no jump leads back because of a stage: it has failed repeatedly for the same reason, which
 * another try does not change, such as a refused key (Appendix D). Undefined if a jump may.
 * @param cursorId the line of control in which it failed; any if undefined
 */
export function repeatedFailure(state: RunState, nodeId: string, cursorId?: string): string | undefined {
  const failures = failuresOf(state, nodeId);
  const counts =
    cursorId === undefined
      ? Array.from(failures.values(), ({ count }) => count)
      : [failures.get(cursorId)?.count ?? 0];
  const count = Math.max(0, ...counts);
  if (count < mostInARow) return undefined;
  return `"${nodeId}" has failed ${count} times for the same reason, and another attempt would not change that, so the run does not go back again`;
}

/**
 * Reason why a stage is not entered again: its last two failures were terminal, for the same reason
 * (SEMANTICS 127). Undefined if it may be.
 */
export function hopelessEntry(state: RunState, nodeId: string, cursorId: string): string | undefined {
  if (state.terminalFailures.size === 0) return undefined;
  const failure = failuresOf(state, nodeId).get(cursorId);
  if (failure === undefined || failure.count < mostInARow) return undefined;
  return `"${nodeId}" has failed ${failure.count} times in a row for the same reason, and another attempt would not change that, so it is not run again: ${failure.reason}; fix the cause, then resume the run`;
}
