import { cursorOf, type Draft } from './draft.js';
import type { ModelUsed, SessionStarted } from './event.js';
import { addUsage, noUsage } from './usage.js';

/** What a stage used counts for its visit, its node and the whole run. */
export function modelUsed(draft: Draft, { node_id: nodeId, branch, usage }: ModelUsed): void {
  const cursor = cursorOf(draft, branch);
  cursor.visitUsage = addUsage(cursor.visitUsage, usage);
  draft.usage = draft.usage.set(nodeId, addUsage(draft.usage.get(nodeId) ?? noUsage, usage));
  draft.totalUsage = addUsage(draft.totalUsage, usage);
}

/** The stages of a thread have a conversation, which later ones go on with (§5.4). */
export function sessionStarted(draft: Draft, event: SessionStarted): void {
  const { backend, session_id } = event;
  draft.sessions = draft.sessions.set(event.thread_id, { backend, session_id });
}
