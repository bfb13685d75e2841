import type { Session } from '../../machine/progress.js';
import type { ChosenAcpAgent } from './acp-chooser.js';

/** The conversation of a thread, as the journal keeps it. */
export interface StoredSession {
  /** As the agent has named it. */
  readonly id: string;
  /** What the agent had counted for the whole conversation by then, in US dollars. */
  readonly costUsd?: number;
}

/** Whose the sessions of an agent are. */
function sessionOwner({ agent }: Pick<ChosenAcpAgent, 'agent'>): string {
  return `acp:${agent.name}`;
}

/** As it is reported: `<id>`, and after a `#` what it has cost, because the next process is told only the sum of all turns. */
export function sessionFor(chosen: Pick<ChosenAcpAgent, 'agent'>, { id, costUsd }: StoredSession): Session {
  const session_id = costUsd === undefined ? id : `${id}#${costUsd}`;
  return { backend: sessionOwner(chosen), session_id };
}

/** The conversation of a thread; undefined where it is not one of this agent's. */
export function readSession(
  session: Session | undefined,
  chosen: Pick<ChosenAcpAgent, 'agent'>,
): StoredSession | undefined {
  if (session === undefined || session.backend !== sessionOwner(chosen)) return undefined;
  const [, id, cost] = /^(.*)#(\d[\d.e+-]*)$/.exec(session.session_id) ?? [];
  return id === undefined ? { id: session.session_id } : { id, costUsd: Number(cost) };
}
