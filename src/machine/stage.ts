import type { ProgramNode } from '../graph/program.js';
import type { StageStarted } from './event.js';
import { degradeAfterResume, resolveFidelity, resolveThread } from './fidelity.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

export function nodeOf(transition: Transition, cursor: Cursor): ProgramNode {
  const node = transition.program.nodes.get(cursor.nodeId);
  if (node === undefined) throw new Error(`the program has no node "${cursor.nodeId}"`);
  return node;
}

export function stageFields(
  node: ProgramNode,
  place: { readonly index: number; readonly attempt: number; readonly visit: number },
) {
  const { index, attempt, visit } = place;
  return { node_id: node.id, name: node.label, index, attempt, visit };
}

export function execute(transition: Transition, cursorId: string): void {
  const { nodeId, visit, lineVisit, attempt, index, execution, fidelity, thread } =
    transition.cursor(cursorId);
  transition.perform({
    kind: 'execute',
    cursor: cursorId,
    nodeId,
    visit,
    lineVisit,
    attempt,
    index,
    execution,
    fidelity,
    thread,
    session: thread === undefined ? undefined : transition.state.sessions.get(thread),
  });
}

type CarryoverFields = Pick<StageStarted, 'fidelity' | 'thread_id' | 'degraded'>;

const noCarryover: CarryoverFields = {};

/** How much an LLM stage that starts is told of what went before, and whose session it shares (§5.4). */
export function carryoverFields(transition: Transition, cursor: Cursor, node: ProgramNode): CarryoverFields {
  if (!node.handler.llm) return noCarryover;
  const { program } = transition;
  const { incomingEdge, previousNode, id: branch } = cursor;
  const entry = { program, node, incomingEdge, previousNode, branch };
  const own = resolveFidelity(entry);
  const thread = own === 'full' ? resolveThread(entry) : undefined;
  const { mode, degraded } = degradeAfterResume({
    mode: own,
    isFirstAfterResume: cursor.resumedWithoutSession,
    previousUsedFull: cursor.fidelity === 'full',
    hasSession: thread !== undefined && transition.state.sessions.get(thread) !== undefined,
  });
  return {
    fidelity: mode,
    thread_id: mode === 'full' ? thread : undefined,
    degraded: degraded ? true : undefined,
  };
}
