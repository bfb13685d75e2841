import type { ProgramNode } from '../../graph/program.js';
import type { EarlierConversation } from '../../handlers/conversation.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { RunState } from '../../machine/state.js';
import { stagePath } from '../../run-directory/stage-path.js';
import { noRedactor } from '../../secrets/redactor.js';
import type { ContinuedFiles } from '../../workspaces/workspace.js';
import type { StageHost } from './attempt-stage.js';
import { ConversationLog } from './conversation-log.js';
import { visitEntries } from './visit-entries.js';

/**
 * Files with which an attempt continues the conversation of an earlier one, or uses its answer (SEMANTICS 123): those after the last
 * completed tool call, or those that an agent has left. Undefined if the attempt begins with the files from before its stage.
 */
export function continuedFiles(
  { program, ports, log }: StageHost,
  state: RunState,
  { cursor, visit, attempt }: ExecuteEffect,
  { id: nodeId, handler }: ProgramNode,
): ContinuedFiles | undefined {
  if (!handler.llm || (attempt === 1 && !isResumed(state, cursor))) return undefined;
  const entries = new ConversationLog({
    path: stagePath(program, state, cursor, nodeId),
    nodeId,
    store: ports.store.stages,
    redactor: noRedactor,
    now: () => ports.clock.now(),
    log: (level, message) => log(level, message, nodeId),
  }).read();
  const left = visitEntries(entries, { runId: state.runId, nodeId, visit, attempt });
  const isOver = left.answered !== undefined && left.lastAttempt < attempt;
  return left.conversation === undefined || isOver ? undefined : filesOf(left.conversation);
}

function isResumed({ cursors }: RunState, cursor: string): boolean {
  return cursors.get(cursor)?.files?.isResumed === true;
}

function filesOf({ begun, entries }: EarlierConversation): ContinuedFiles | undefined {
  if (begun.backend === 'custom') return undefined;
  if (entries.some(({ kind }) => kind === 'session')) return { kind: 'as_left' };
  const last = entries.findLast((entry) => entry.kind === 'tool_result' && entry.files !== undefined);
  if (last?.kind !== 'tool_result' || last.files === undefined) return undefined;
  return last.files === null ? { kind: 'as_left' } : { kind: 'commit', commit: last.files };
}
