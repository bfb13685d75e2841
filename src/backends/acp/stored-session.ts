import type { Session } from '../../machine/progress.js';
import type { ChosenAcpAgent } from './acp-chooser.js';

/** Conversation of a thread, as the journal keeps it. */
export interface AcpSession {
  /** Id that the agent gave it. */
  readonly id: string;
  /** Costs that the agent had counted for the whole conversation by then, in US dollars. */
  readonly costUsd?: number;
}

/** Owner of an agent's sessions. */
export function sessionOwner({ agent }: Pick<ChosenAcpAgent, 'agent'>): string {
  return `acp:${agent.name}`;
}

/**
 * Session for a report: `<id>`, or `<id>#<cost>`, because the next process receives only the sum of all
 * turns.
 */
export function acpSessionFor(chosen: Pick<ChosenAcpAgent, 'agent'>, { id, costUsd }: AcpSession): Session {
  const session_id = costUsd === undefined ? id : `${id}#${costUsd}`;
  return { backend: sessionOwner(chosen), session_id };
}

/** Conversation of a thread; undefined if it belongs to another agent. */
export function readAcpSession(
  session: Session | undefined,
  chosen: Pick<ChosenAcpAgent, 'agent'>,
): AcpSession | undefined {
  if (session === undefined || session.backend !== sessionOwner(chosen)) return undefined;
  const [, id, cost] = /^(.*)#(\d[\d.e+-]*)$/.exec(session.session_id) ?? [];
  return id === undefined ? { id: session.session_id } : { id, costUsd: Number(cost) };
}
