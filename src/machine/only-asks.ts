import type { Program } from '../graph/program.js';
import type { Cursor, RunState } from './state.js';

/**
 * True if a run only waits for people: nothing is under way but questions, of stages that do nothing else, and nothing will happen by
 * itself. A process may release such a run and continue it later, without an event.
 */
export function onlyAsks(program: Program, state: RunState): boolean {
  const { status, pausing, cursors } = state;
  if (status !== 'running' || pausing !== undefined || program.limits.timeout !== undefined) return false;
  return [...cursors.values()].every((cursor) => isStill(program, state, cursor));
}

function isStill(program: Program, state: RunState, { phase, nodeId, question, ...cursor }: Cursor): boolean {
  const node = program.nodes.get(nodeId);
  // A conversation that is nowhere else lives in the process.
  const { fidelity, thread } = cursor;
  if (fidelity === 'full' && (thread === undefined || state.sessions.get(thread) === undefined)) return false;
  switch (phase) {
    case 'finished':
      return true;
    case 'forked':
      return node?.timeout === undefined;
    case 'interrupted':
      return question !== undefined;
    case 'running': {
      const asks = question !== undefined && question.question.timeout_seconds === undefined;
      return asks && node?.handler.harmless === true;
    }
    default:
      return false;
  }
}
