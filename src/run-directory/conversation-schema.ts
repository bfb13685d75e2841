import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import type { ConversationEntry } from '../handlers/conversation-entry.js';

/** JSON that this program has written, and that needs no check below its outline. */
const json = z.custom<JsonValue>((value) => value !== undefined);

const part = z.looseObject({ type: z.string() });

const begun = z.object({
  kind: z.literal('begun'),
  run_id: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  continues: z.boolean(),
  backend: z.string(),
  model: z.string().optional(),
  thread: z.string().optional(),
  prompt_sha256: z.string(),
});

const user = z.object({ kind: z.literal('user'), text: z.string() });

const assistant = z.object({
  kind: z.literal('assistant'),
  content: z.array(part),
  end: z.enum(['complete', 'cut_off', 'filtered']).optional(),
  problems: z.array(z.object({ call: z.number(), problem: z.string() })).optional(),
});

const toolBegun = z.object({ kind: z.literal('tool_begun'), call_id: z.string() });

const toolResult = z.object({
  kind: z.literal('tool_result'),
  call_id: z.string(),
  tool: z.string(),
  success: z.boolean(),
  output: z.string(),
  duration: z.number(),
  interrupted: z.literal(true).optional(),
  files: z.string().nullable().optional(),
});

const compacted = z.object({
  kind: z.literal('compacted'),
  summary: z.string(),
  turns: z.number().int().min(0),
});

const session = z.object({ kind: z.literal('session'), backend: z.string(), session_id: z.string() });

const answered = z.object({
  kind: z.literal('answered'),
  response: z.string().optional(),
  outcome: json.optional(),
  status_file: z.string().optional(),
});

const retried = z.object({ kind: z.literal('retried'), reason: z.string() });

const at = { at: z.string() };

/** Check of a line of `conversation.jsonl`. */
export const conversationEntry: z.ZodType<ConversationEntry> = z.discriminatedUnion('kind', [
  begun.extend(at),
  user.extend(at),
  assistant.extend(at),
  toolBegun.extend(at),
  toolResult.extend(at),
  compacted.extend(at),
  session.extend(at),
  answered.extend(at),
  retried.extend(at),
]);
