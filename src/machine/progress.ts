import type { JsonValue } from '../graph/json.js';
import type { Usage } from './usage.js';

/** Progress that a stage reports: each becomes an event (§9.6). Data only. */
export type Progress =
  /** Part of the model's answer, or of its reasoning; pieces of any size, in order. */
  | { readonly kind: 'text'; readonly channel: OutputChannel; readonly text: string }
  | ({ readonly kind: 'tool_call_started' } & ToolCallStart & ToolCallTitle)
  | ({ readonly kind: 'tool_call_completed' } & ToolCallEnd & ToolCallEdits)
  | ({ readonly kind: 'model_used' } & ModelUse)
  | ({ readonly kind: 'request_retrying' } & RequestRetry)
  | ({ readonly kind: 'conversation_compacting' } & ConversationCompaction)
  | ({ readonly kind: 'steering_delivered' } & SteeringDelivery)
  | ({ readonly kind: 'session_started' } & SessionReport);

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

/** Part of the start of a call that the conversation of the stage keeps, and no event. */
interface ToolCallTitle {
  /** Words for people: `Edit src/main.ts`. */
  readonly title?: string | undefined;
}

/** The same for its end. */
interface ToolCallEdits {
  readonly edits?: readonly FileEdit[] | undefined;
}

/** Change of a file by a tool call: the whole texts, or the parts that differ. */
export interface FileEdit {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
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

/** A request to a model has failed, and is made again, after a pause or by another model (SEMANTICS 122, 130). */
export interface RequestRetry {
  /** Provider and model of the request that failed. */
  readonly provider: string;
  readonly model: string;
  /** A few words that follow "after": `HTTP 429`. */
  readonly reason: string;
  /** The whole message. */
  readonly error: string;
  /** Milliseconds of the pause. */
  readonly delay: number;
  /** Number of the request that follows: from 2, and 1 for another model. */
  readonly request_attempt: number;
  /** Limit of it. */
  readonly request_attempts: number;
  /** True if a part of the reply was reported: it comes again, and does not count. */
  readonly discards_text: boolean;
  /** The model that is asked instead: `openai/gpt-5.2`. */
  readonly next_model?: string;
}

/** A model's server has refused a conversation as too long: the model summarizes its older turns, and is asked again (SEMANTICS 125). */
export interface ConversationCompaction {
  readonly provider: string;
  readonly model: string;
  /** Number of replies that the summary replaces. */
  readonly turns: number;
  /** Number of replies that stay, the newest. */
  readonly kept: number;
  /** The whole message of the refusal. */
  readonly error: string;
}

/** The model, or the agent, gets the words of a person. */
export interface SteeringDelivery {
  readonly steering_id: string;
}

/** Conversation that a later stage of the same thread can continue, also in another process (§5.4). */
export interface Session {
  /** Backend of the session: only the same one can continue it. */
  readonly backend: string;
  readonly session_id: string;
}

/** Report of a stage about the conversation of its thread. */
export interface SessionReport extends Session {
  /**
   * Set once the conversation has the prompt of this stage and its answer: the prompts of later stages of
   * the thread tell only what came after (SEMANTICS 124). Without it, they tell what came before too.
   */
  readonly includes_stage?: true;
}
