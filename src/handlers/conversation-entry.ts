import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';

/** JSON that this program has written, and that needs no check below its outline. */
const json = z.custom<JsonValue>((value) => value !== undefined);

/**
 * Part of a model's message: `text` and `reasoning` with a `text`, `tool-call` with `toolCallId`, `toolName` and `input`; others,
 * and further fields, as its provider gave them.
 */
const part = z.looseObject({ type: z.string() });

const begun = z.object({
  kind: z.literal('begun'),
  run_id: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  /** True for an attempt that continues the conversation of the one before; otherwise a new conversation begins here. */
  continues: z.boolean(),
  /** Owner of the conversation: `ai`, `acp:codex`, `command:claude`. */
  backend: z.string(),
  model: z.string().optional(),
  /** Thread whose earlier stages it continues (§5.4). */
  thread: z.string().optional(),
  /** Hash of the stage's own prompt, without the history before it. */
  prompt_sha256: z.string(),
});

const user = z.object({ kind: z.literal('user'), text: z.string() });

const assistant = z.object({
  kind: z.literal('assistant'),
  content: z.array(part),
  /** End of the reply; missing if it is only a part of one, as agents report them. */
  end: z.enum(['complete', 'cut_off', 'filtered']).optional(),
  /** Tool calls of the reply that cannot be made, by their number from 0. */
  problems: z.array(z.object({ call: z.number(), problem: z.string() })).optional(),
});

/** Start of a tool call that may change something, so that it is not made twice. */
const toolBegun = z.object({ kind: z.literal('tool_begun'), call_id: z.string() });

const toolResult = z.object({
  kind: z.literal('tool_result'),
  /** Unique in the conversation; the id of the model, with a number after it if the model uses one twice. */
  call_id: z.string(),
  tool: z.string(),
  success: z.boolean(),
  output: z.string(),
  /** Milliseconds. */
  duration: z.number(),
  /** Set if its real result is unknown, because the process or the attempt ended during the call. */
  interrupted: z.literal(true).optional(),
  /** Commit of the files after the call, in a run with git; null if they cannot be committed. */
  files: z.string().nullable().optional(),
});

/** Session of an agent, in which it keeps the conversation. */
const session = z.object({ kind: z.literal('session'), backend: z.string(), session_id: z.string() });

const answered = z.object({
  kind: z.literal('answered'),
  response: z.string().optional(),
  outcome: json.optional(),
  /** Status file that was left (Appendix C). */
  status_file: z.string().optional(),
});

/** The answer led to another attempt. */
const retried = z.object({ kind: z.literal('retried'), reason: z.string() });

const at = { /** ISO 8601. */ at: z.string() };

/** Line of `conversation.jsonl` (SEMANTICS 123). */
export const conversationEntry = z.discriminatedUnion('kind', [
  begun.extend(at),
  user.extend(at),
  assistant.extend(at),
  toolBegun.extend(at),
  toolResult.extend(at),
  session.extend(at),
  answered.extend(at),
  retried.extend(at),
]);

export type ConversationEntry = Readonly<z.infer<typeof conversationEntry>>;

type Timeless<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never;

/** Entry before it gets its time. */
export type NewConversationEntry = Readonly<Timeless<ConversationEntry>>;

export type EntryOf<Kind extends ConversationEntry['kind']> = Extract<
  ConversationEntry,
  { readonly kind: Kind }
>;
