import type { Program, ProgramNode } from '../graph/program.js';
import { lastOf } from './persistent.js';
import { type Cursor, lineKey, type RunState } from './state.js';

/**
 * Reason why a node may not be entered again (SEMANTICS 34, 82), naming the limit, the loop and the
 * attribute to raise; undefined if it may. Start and exit do not count.
 */
export function limitReached(
  program: Program,
  state: RunState,
  cursor: Cursor,
  node: ProgramNode,
): string | undefined {
  if (node.id === program.startId || node.id === program.exitId) return undefined;
  const maxSteps = state.maxSteps ?? program.limits.maxSteps;
  if (cursor.steps >= maxSteps) {
    const isOfCall = state.maxSteps !== undefined;
    const limit = isOfCall ? '`--max-steps` (of the run, or of `attractor serve`)' : '`max_steps`';
    const advice = isOfCall ? 'raise --max-steps' : 'raise the graph attribute `max_steps` (or --max-steps)';
    const loop = loopInto(state, cursor, node.id);
    const who = cursor.branch === undefined ? 'the run' : `the branch "${cursor.id}"`;
    return `${who} has executed ${maxSteps} ${maxSteps === 1 ? 'stage' : 'stages'}, the limit set by ${limit}, and would continue with "${node.id}"${loop}; ${advice} if that is intended`;
  }
  if (node.maxVisits === undefined || cursor.visitIsExempt) return undefined;
  const visits = state.lineVisits.get(lineKey(cursor.id, node.id)) ?? 0;
  if (visits >= node.maxVisits) {
    return `"${node.id}" was visited ${visits} ${visits === 1 ? 'time' : 'times'}${whereOf(cursor)}, the limit set by its \`max_visits\`${loopInto(state, cursor, node.id)}; raise \`max_visits\` of "${node.id}" if that is intended`;
  }
  return undefined;
}

function whereOf({ branch, id }: Cursor): string {
  return branch === undefined ? '' : ` in the branch "${id}"`;
}

const longestLoopShown = 12;

/**
 * Path from the last visit of a node back to it, as ` (loop: a -> b -> a)`; visits of other branches are
 * left out.
 */
function loopInto({ path }: RunState, { branch, completed }: Cursor, nodeId: string): string {
  const tail = lastOf(branch === undefined ? path : completed, longestLoopShown);
  const from = tail.lastIndexOf(nodeId);
  if (from === -1) return '';
  return ` (loop: ${[...tail.slice(from), nodeId].join(' -> ')})`;
}
