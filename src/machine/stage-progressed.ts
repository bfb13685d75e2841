import type { EventBody } from './event.js';
import type { Input } from './input.js';
import type { ModelUse, Progress } from './progress.js';
import { nodeOf, stageFields } from './stage.js';
import { branchOf, type Cursor } from './state.js';
import type { Transition } from './transition.js';
import { warnOfUnpriced, watchBudgets, watchRunBudgets } from './watch-budgets.js';

/** Records the progress of a stage (§9.6). */
export function stageProgressed(transition: Transition, cursor: Cursor, progress: Progress): void {
  if (progress.kind === 'model_used') {
    if (isCounted(transition, progress)) return;
    warnOfUnpriced(transition, cursor.nodeId, progress);
  }
  const event = eventOf(transition, cursor, progress);
  if (event !== undefined) transition.emit(event);
  if (progress.kind === 'model_used') watchBudgets(transition, cursor.id);
}

/**
 * Counts what a stage has used that was stopped: by a pause, by a question that waits, by the end of the run, or because other
 * branches were enough. What the provider has reported of an interrupted reply is paid (SEMANTICS 126).
 */
export function usedLate(
  transition: Transition,
  { cursor, index, attempt, progress, stage }: Extract<Input, { kind: 'stage_progress' }>,
): void {
  if (progress.kind !== 'model_used' || isCounted(transition, progress)) return;
  if (stage === undefined) return;
  const node = transition.program.nodes.get(stage.nodeId);
  if (node === undefined) return;
  const { kind: _kind, ...said } = progress;
  const fields = {
    ...stageFields(node, { index, attempt, visit: stage.visit }),
    branch: branchOf(cursor),
  };
  // A run that has paused says the rest when it is resumed, one that has ended needs no more.
  const isRunning = transition.state.status === 'running';
  if (isRunning) warnOfUnpriced(transition, node.id, progress);
  transition.emit({ type: 'ModelUsed', ...fields, ...said });
  if (!isRunning) return;
  if (transition.state.cursors.get(cursor)?.index === index) watchBudgets(transition, cursor);
  else watchRunBudgets(transition, { node_id: node.id, branch: branchOf(cursor) });
}

/** True if the usage was counted before: a child that continues reports it again. */
function isCounted({ state }: Transition, { child_run: child, child_seq: seq = 0 }: ModelUse): boolean {
  return child !== undefined && seq <= (state.childUsage.get(child) ?? 0);
}

function eventOf(transition: Transition, cursor: Cursor, progress: Progress): EventBody | undefined {
  const fields = { ...stageFields(nodeOf(transition, cursor), cursor), branch: branchOf(cursor.id) };
  switch (progress.kind) {
    case 'text': {
      const { kind: _kind, ...said } = progress;
      return { type: 'StageOutput', ...fields, ...said };
    }
    case 'tool_call_started': {
      const { kind: _kind, title: _title, ...said } = progress;
      return { type: 'ToolCallStarted', ...fields, ...said };
    }
    case 'tool_call_completed': {
      const { kind: _kind, edits: _edits, ...said } = progress;
      return { type: 'ToolCallCompleted', ...fields, ...said };
    }
    case 'model_used': {
      const { kind: _kind, ...said } = progress;
      return { type: 'ModelUsed', ...fields, ...said };
    }
    case 'request_retrying': {
      const { kind: _kind, ...said } = progress;
      return { type: 'RequestRetrying', ...fields, ...said };
    }
    case 'conversation_compacting': {
      const { kind: _kind, ...said } = progress;
      return { type: 'ConversationCompacting', ...fields, ...said };
    }
    case 'steering_delivered': {
      const { kind: _kind, ...said } = progress;
      if (cursor.words.every(({ id }) => id !== said.steering_id)) return undefined;
      return { type: 'SteeringDelivered', ...fields, ...said };
    }
    case 'session_started': {
      // Only the stages of a thread share a conversation.
      if (cursor.thread === undefined) return undefined;
      const { kind: _kind, ...said } = progress;
      return { type: 'SessionStarted', ...fields, thread_id: cursor.thread, ...said };
    }
  }
}
