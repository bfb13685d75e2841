import type { EventBody } from './event.js';
import type { Progress } from './progress.js';
import { nodeOf, stageFields } from './stage.js';
import type { Cursor } from './state.js';
import type { Transition } from './transition.js';

/** Records what a stage tells of its work (§9.6). */
export function stageProgressed(transition: Transition, cursor: Cursor, progress: Progress): void {
  const event = eventOf(transition, cursor, progress);
  if (event !== undefined) transition.emit(event);
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
