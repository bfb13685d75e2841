import type { ModelMessage } from 'ai';
import type { Node } from '../../graph/graph.js';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import { type Conversation, readSession, sessionId, writeSession } from './session-file.js';

/** The conversation of a thread, for one of its stages (§5.4). */
export interface OpenSession {
  /** What was said before. */
  readonly messages: readonly ModelMessage[];
  /** Keeps what the stage and its model have said, for stages after it, and tells of the session. */
  keep(messages: readonly ModelMessage[]): void;
}

/** As sessions name it: another backend's is none of ours. */
const backend = 'ai';

/** The session that a stage continues with, or begins; undefined where it shares none. What cannot be read begins afresh. */
export function openSession(node: Node, call: BackendCall): OpenSession | undefined {
  const { fidelity, thread, session, logsRoot, redactor } = call;
  if (fidelity !== 'full' || thread === undefined) return undefined;
  const stage = `${node.id}/${call.visit}`;
  const id = session?.backend === backend ? session.session_id : sessionId(thread);
  const { turns } = earlier(node, call);
  // A stage that was cut off after its answer was kept, and before the run knew it, says it again.
  const again = turns.findIndex((turn) => turn.stage === stage);
  const before = again === -1 ? turns : turns.slice(0, again);
  return {
    messages: before.flatMap(({ messages }) => messages),
    keep(messages) {
      writeSession(logsRoot, id, { turns: [...before, { stage, messages }] }, redactor);
      if (session?.backend !== backend) call.report({ kind: 'session_started', backend, session_id: id });
    },
  };
}

function earlier(node: Node, { session, logsRoot, log }: BackendCall): Conversation {
  const nothing: Conversation = { turns: [] };
  if (session === undefined) return nothing;
  const begins = 'it begins a new one, and knows nothing of what was said before';
  if (session.backend !== backend) {
    log(
      'warning',
      `"${node.id}" cannot continue with a session of the backend "${session.backend}": ${begins}`,
    );
    return nothing;
  }
  const reading = readSession(logsRoot, session.session_id);
  if (reading.kind === 'conversation') return reading.conversation;
  log('warning', `"${node.id}" cannot continue with its session, ${begins}: ${reading.problem}`);
  return nothing;
}
