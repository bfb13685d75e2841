import type { JsonValue } from '../graph/json.js';
import type { Usage } from './usage.js';

/** What a stage tells of its work while it is at it: each becomes an event (§9.6). Data only. */
export type Progress =
  /** More of what the model answers, or of what it thinks; pieces of any size, in order. */
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
  /** What the model was told. */
  readonly output: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** One request to a model, or all that an agent has told of in one go. */
export interface ModelUse {
  /** Empty where an agent does not say. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Set where a child run has used it: its run id, and the number of its event that says so; each counts once. */
  readonly child_run?: string;
  readonly child_seq?: number;
}

/** A conversation that a later stage of the same thread can continue with, also in another process (§5.4). */
export interface Session {
  /** Whose it is: only the same backend can continue with it. */
  readonly backend: string;
  readonly session_id: string;
}
