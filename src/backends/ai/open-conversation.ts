import type { ModelMessage } from 'ai';
import type { Node } from '../../graph/graph.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import {
  type Conversation,
  readConversation,
  sessionId,
  type Turn,
  writeConversation,
} from './session-file.js';
import type { StageTurn } from './stage-messages.js';

/** Conversation of a thread, for one of its stages (§5.4). */
export interface OpenConversation {
  /** Messages of earlier stages; none if it begins. */
  readonly messages: readonly ModelMessage[];
  /** Reports the session. Call it before the first request, so that the stage keeps its thread if the run is interrupted. */
  begin(): void;
  /** Stores the messages of this stage for later ones, and reports that the session has them. */
  keep(turn: StageTurn): void;
}

/** Owner name of our sessions; those of other backends are not ours. */
const backend = 'ai';

/**
 * Opens the session that a stage continues or begins; undefined if it shares none. A session that cannot be
 * read starts over.
 */
export function openConversation(node: Node, call: BackendCall): OpenConversation | undefined {
  const { fidelity, thread, session, logsRoot, redactor } = call;
  if (fidelity !== 'full' || thread === undefined) return undefined;
  const stage = `${node.id}/${call.visit}`;
  const id = session?.backend === backend ? session.session_id : sessionId(thread);
  const { turns } = earlier(node, call);
  // A stage that was interrupted after its answer was stored, but before the run recorded it, repeats its
  // turn.
  const again = turns.findIndex((turn) => turn.stage === stage);
  const before = again === -1 ? turns : turns.slice(0, again);
  return {
    messages: messagesOf(before),
    begin() {
      if (session?.backend === backend) return;
      writeConversation(logsRoot, id, { turns: before }, redactor);
      call.report({ kind: 'session_started', backend, session_id: id });
    },
    keep({ messages, replacesEarlier }) {
      const turn: Turn = { stage, messages, replaces_earlier: replacesEarlier || undefined };
      writeConversation(logsRoot, id, { turns: [...before, turn] }, redactor);
      call.report({ kind: 'session_started', backend, session_id: id, includes_stage: true });
    },
  };
}

/** Messages of the turns that count: a turn with a summary of those before it replaces them (SEMANTICS 125). */
function messagesOf(turns: readonly Turn[]): readonly ModelMessage[] {
  const first = turns.findLastIndex((turn) => turn.replaces_earlier === true);
  return turns.slice(Math.max(0, first)).flatMap(({ messages }) => messages);
}

/** Prompt of the stage: what its conversation has not seen precedes it, or the whole past if it has to begin (SEMANTICS 124). */
export async function promptFor(
  prompt: string,
  conversation: OpenConversation | undefined,
  { session, promptForNewSession }: BackendCall,
): Promise<string> {
  const isLost = session !== undefined && conversation?.messages.length === 0;
  return (isLost ? await promptForNewSession?.() : undefined) ?? prompt;
}

function earlier(node: Node, { session, logsRoot, log }: BackendCall): Conversation {
  const nothing: Conversation = { turns: [] };
  if (session === undefined) return nothing;
  const begins = 'it starts a new one, without the earlier conversation';
  if (session.backend !== backend) {
    log('warning', `"${node.id}" cannot continue a session of the backend "${session.backend}": ${begins}`);
    return nothing;
  }
  const reading = readConversation(logsRoot, session.session_id);
  if (reading.kind === 'conversation') return reading.conversation;
  log('warning', `"${node.id}" cannot continue its session; ${begins}: ${reading.problem}`);
  return nothing;
}
