import type { JsonValue } from '../graph/json.js';
import type { Usage } from './usage.js';

/** Progress that a stage reports: each becomes an event (§9.6). Data only. */
export type Progress =
  /** Part of the model's answer, or of its reasoning; pieces of any size, in order. */
  | { readonly kind: 'text'; readonly channel: OutputChannel; readonly text: string }
  | ({ readonly kind: 'tool_call_started' } & ToolCallStart)
  | ({ readonly kind: 'tool_call_completed' } & ToolCallEnd)
  | ({ readonly kind: 'model_used' } & ModelUse)
  | ({ readonly kind: 'session_started' } & Session);

export type OutputChannel = 'response' | 'reasoning';

/** A model, or an agent, calls a tool. */
export interface ToolCallStart {
  /** Unique in the attempt; the end of the call has it too. */
  readonly call_id: string;
  readonly tool: string;
  readonly input: JsonValue;
}

export interface ToolCallEnd {
  readonly call_id: string;
  readonly tool: string;
  readonly success: boolean;
  /** Result that the model received. */
  readonly output: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** One request to a model, or several that an agent reports at once. */
export interface ModelUse {
  /** Empty if an agent does not report it. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Set if a child run has used it: its run id, and the number of its event about it; each counts once. */
  readonly child_run?: string;
  readonly child_seq?: number;
}

/** Conversation that a later stage of the same thread can continue, also in another process (§5.4). */
export interface Session {
  /** Backend of the session: only the same one can continue it. */
  readonly backend: string;
  readonly session_id: string;
}
