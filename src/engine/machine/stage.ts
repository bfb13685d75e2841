import type { ProgramNode } from '../../graph/program.js';
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
  const { nodeId, visit, attempt, index } = transition.cursor(cursorId);
  const execution = transition.state.executions.get(nodeId) ?? 0;
  transition.perform({ kind: 'execute', cursor: cursorId, nodeId, visit, attempt, index, execution });
}
