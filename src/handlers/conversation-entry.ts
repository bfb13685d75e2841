import type { JsonValue } from '../graph/json.js';
import type { FileEdit } from '../machine/progress.js';
import type { Usage } from '../machine/usage.js';

/**
 * Part of a model's message: `text` and `reasoning` with a `text`, `tool-call` with `toolCallId`, `toolName`, `input` and, if an agent
 * words it for people, a `title`; others, and further fields, as its provider gave them.
 */
interface MessagePart {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface ConversationBegun {
  readonly kind: 'begun';
  readonly run_id: string;
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
  /** True for an attempt that continues the conversation of the one before; otherwise a new conversation begins here. */
  readonly continues: boolean;
  /** Owner of the conversation: `ai`, `acp:codex`, `command:claude`, `simulated`; `custom` if the backend does not say. */
  readonly backend: string;
  readonly model?: string | undefined;
  /** Thread whose earlier stages it continues (§5.4). */
  readonly thread?: string | undefined;
  /** Hash of the stage's own prompt, without the history before it. */
  readonly prompt_sha256: string;
}

interface UserMessage {
  readonly kind: 'user';
  readonly text: string;
}

/** Words of a person to the model: an answer, or a remark of theirs. */
interface PersonWords {
  readonly kind: 'person';
  readonly text: string;
  /** Question that they answer. */
  readonly question?: string | undefined;
  /** Name of the person. */
  readonly by?: string | undefined;
  /** Id of the words in the events `StageSteered` and `SteeringDelivered`. */
  readonly steering_id?: string | undefined;
}

interface AssistantMessage {
  readonly kind: 'assistant';
  readonly content: readonly MessagePart[];
  /** End of the reply; missing if it is only a part of one, as agents report them. */
  readonly end?: 'complete' | 'cut_off' | 'filtered' | undefined;
  /** Tool calls of the reply that cannot be made, by their number from 0. */
  readonly problems?: readonly { readonly call: number; readonly problem: string }[] | undefined;
}

/** Start of a tool call that may change something, so that it is not made twice. */
interface ToolBegun {
  readonly kind: 'tool_begun';
  readonly call_id: string;
}

interface ToolResult {
  readonly kind: 'tool_result';
  /** Unique in the conversation; the id of the model, with a number after it if the model uses one twice. */
  readonly call_id: string;
  readonly tool: string;
  readonly success: boolean;
  readonly output: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Set if its real result is unknown, because the process or the attempt ended during the call. */
  readonly interrupted?: true | undefined;
  /** Commit of the files after the call, in a run with git; null if they cannot be committed. */
  readonly files?: string | null | undefined;
  /** Changes of files that the agent reports with the result. */
  readonly edits?: readonly FileEdit[] | undefined;
}

/** Model usage since the entry of this kind before it: after each reply, or as seldom as an agent reports it. */
interface UsageReport {
  readonly kind: 'usage';
  /** Empty if an agent does not report it. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

/** The server refused the conversation as too long: from here on a summary stands in place of its older turns (SEMANTICS 125). */
interface Compacted {
  readonly kind: 'compacted';
  readonly summary: string;
  /** Number of replies of this conversation that it replaces, from the first; earlier stages of the thread are replaced too. */
  readonly turns: number;
}

/** Session of an agent, in which it keeps the conversation. */
interface AgentSession {
  readonly kind: 'session';
  readonly backend: string;
  readonly session_id: string;
}

interface Answered {
  readonly kind: 'answered';
  readonly response?: string | undefined;
  readonly outcome?: JsonValue | undefined;
  /** Status file that was left (Appendix C). */
  readonly status_file?: string | undefined;
}

/** The answer led to another attempt. */
interface Retried {
  readonly kind: 'retried';
  readonly reason: string;
}

/** Entry before it gets its time. */
export type NewConversationEntry =
  | ConversationBegun
  | UserMessage
  | PersonWords
  | AssistantMessage
  | ToolBegun
  | ToolResult
  | Compacted
  | UsageReport
  | AgentSession
  | Answered
  | Retried;

/** Line of `conversation.jsonl`, with its time in ISO 8601 (SEMANTICS 123). */
export type ConversationEntry = NewConversationEntry & { readonly at: string };

export type EntryOf<Kind extends ConversationEntry['kind']> = Extract<
  ConversationEntry,
  { readonly kind: Kind }
>;
