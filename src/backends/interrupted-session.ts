import type { BackendCall } from '../handlers/codergen-backend.js';
import type { ConversationEntry } from '../handlers/conversation-entry.js';
import type { Session } from '../machine/progress.js';

/** Prompt with which an agent continues in its session. */
export const continueRequest =
  'You were interrupted before you had finished. Look at what is already done, and continue where you stopped.';

/**
 * Session of an agent in which an earlier attempt of the visit ended without an answer (SEMANTICS 123); undefined if a new one must begin.
 * @param owner `acp:<agent>` or `command:<agent>`
 */
export function interruptedSession(
  { conversation, model, thread }: Pick<BackendCall, 'conversation' | 'model' | 'thread'>,
  owner: string,
): Session | undefined {
  const earlier = conversation?.earlier;
  if (earlier === undefined) return undefined;
  const { begun, entries } = earlier;
  const isSame = begun.backend === owner && begun.model === model.model && begun.thread === thread;
  if (!isSame || hasFailedToContinue(entries)) return undefined;
  const last = entries.findLast((entry) => entry.kind === 'session' && entry.backend === owner);
  return last?.kind === 'session' ? { backend: last.backend, session_id: last.session_id } : undefined;
}

/** True if the last attempt continued the session, and ended without any output: an agent may be unable to open it. */
function hasFailedToContinue(entries: readonly ConversationEntry[]): boolean {
  const last = entries.findLastIndex(({ kind }) => kind === 'begun');
  return last !== -1 && !entries.slice(last).some(({ kind }) => kind === 'assistant');
}
