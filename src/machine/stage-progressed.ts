import type { EventBody } from './event.js';
import type { ModelUse, Progress } from './progress.js';
import { nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';
import { warnOfUnpriced, watchBudgets } from './watch-budgets.js';

/** Records what a stage tells of its work (§9.6). */
export function stageProgressed(transition: Transition, cursor: Cursor, progress: Progress): void {
  if (progress.kind === 'model_used') {
    if (isCounted(transition, progress)) return;
    warnOfUnpriced(transition, cursor, progress);
  }
  const event = eventOf(transition, cursor, progress);
  if (event !== undefined) transition.emit(event);
  if (progress.kind === 'model_used') watchBudgets(transition, cursor.id);
}

/** A child that goes on tells again what it has used before; the stage may have been told that, or have died before it. */
function isCounted({ state }: Transition, { child_run: child, child_seq: seq = 0 }: ModelUse): boolean {
  return child !== undefined && seq <= (state.childUsage.get(child) ?? 0);
}

function eventOf(transition: Transition, cursor: Cursor, progress: Progress): EventBody | undefined {
  const fields = { ...stageFields(nodeOf(transition, cursor), cursor), ...transition.branchOf(cursor.id) };
  const { kind, ...said } = progress;
  switch (kind) {
    case 'text':
      return { type: 'StageOutput', ...fields, ...(said as Said<'text'>) };
    case 'tool_call_started':
      return { type: 'ToolCallStarted', ...fields, ...(said as Said<'tool_call_started'>) };
    case 'tool_call_completed':
      return { type: 'ToolCallCompleted', ...fields, ...(said as Said<'tool_call_completed'>) };
    case 'model_used':
      return { type: 'ModelUsed', ...fields, ...(said as Said<'model_used'>) };
    case 'session_started':
      // Only the stages of a thread share a conversation.
      if (cursor.thread === undefined) return undefined;
      return {
        type: 'SessionStarted',
        ...fields,
        thread_id: cursor.thread,
        ...(said as Said<'session_started'>),
      };
  }
}

type Said<Kind extends Progress['kind']> = Omit<Extract<Progress, { readonly kind: Kind }>, 'kind'>;
