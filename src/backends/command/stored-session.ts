import type { Session } from '../../machine/progress.js';
import type { Usage } from '../../machine/usage.js';

/** Conversation of an agent, as the journal keeps it. */
export interface StoredSession {
  /** Id that the agent gave it. */
  readonly id: string;
  /** Usage by then, for an agent that counts the conversation as a whole. */
  readonly used?: Usage;
}

/**
 * Session for a report: `<id>`, or `<id>#<usage>`, because the next turn, perhaps in another process,
 * receives only the sum of both.
 */
export function sessionFor({ id, used }: StoredSession, agent: string): Session {
  return {
    backend: sessionOwner(agent),
    session_id: used === undefined ? id : `${id}#${counts.map((key) => used[key] ?? 0).join('+')}`,
  };
}

/** Conversation of a thread; undefined if it belongs to another agent. */
export function readSession(
  { backend, session_id: text }: Session,
  agent: string,
): StoredSession | undefined {
  if (backend !== sessionOwner(agent)) return undefined;
  const [, id = text, numbers] = /^(.*)#([\d+]+)$/.exec(text) ?? [];
  if (numbers === undefined) return { id };
  const parts = numbers.split('+').map(Number);
  const entries = counts.map((key, index) => [key, parts[index] ?? 0] as const);
  return { id, used: { ...noCounts, ...Object.fromEntries(entries) } };
}

const noCounts: Usage = { requests: 0, input_tokens: 0, output_tokens: 0 };

const counts = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const satisfies readonly (keyof Usage)[];

export function sessionOwner(agent: string): string {
  return `command:${agent}`;
}
