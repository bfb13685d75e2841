import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import type { ConversationEntry } from '../handlers/conversation-entry.js';

/** JSON that this program has written, and that needs no check below its outline. */
const json = z.custom<JsonValue>((value) => value !== undefined);

const text = (description: string) => z.string().describe(description);
const count = (description: string) => z.number().int().nonnegative().describe(description);

const at = z.iso.datetime().describe('Time, in ISO 8601.');

const part = z
  .looseObject({ type: text('`text`, `reasoning`, `tool-call`, or another one of the provider.') })
  .describe(
    'Part of a message: `text` and `reasoning` with a `text`; `tool-call` with `toolCallId`, `toolName`, `input` and, from some agents, a `title` for people.',
  );

const begun = z
  .object({
    kind: z.literal('begun'),
    at,
    run_id: text('Run of the attempt; a fork also keeps entries of the run that it continues.'),
    node_id: z.string(),
    visit: count('Number of the visit, from 1.'),
    attempt: count('Number of the attempt, from 1.'),
    continues: z
      .boolean()
      .describe('True if the attempt continues the conversation before it; otherwise a new one begins.'),
    backend: text(
      '`ai`, `acp:NAME`, `command:NAME`, `simulated`, or `custom` for a backend that does not say.',
    ),
    model: text('Model that the stage asks for.').optional(),
    thread: text('Thread whose earlier stages the conversation continues.').optional(),
    prompt_sha256: text("Hash of the stage's own prompt, without the history before it."),
  })
  .meta({ title: 'An attempt begins' });

const user = z
  .object({ kind: z.literal('user'), at, text: z.string() })
  .meta({ title: 'Prompt, or another request of attractor' });

const person = z
  .object({
    kind: z.literal('person'),
    at,
    text: z.string(),
    question: text('Question that the person answers.').optional(),
    by: text('Name of the person.').optional(),
    steering_id: text('Id of the words in the events `StageSteered` and `SteeringDelivered`.').optional(),
  })
  .meta({ title: 'Words of a person' });

const assistant = z
  .object({
    kind: z.literal('assistant'),
    at,
    content: z.array(part),
    end: z
      .enum(['complete', 'cut_off', 'filtered'])
      .describe('End of the reply; missing if the entry is only a part of one.')
      .optional(),
    problems: z
      .array(z.object({ call: count('Number of the call in the entry, from 0.'), problem: z.string() }))
      .describe('Tool calls that cannot be made.')
      .optional(),
  })
  .meta({ title: 'Words and tool calls of the model' });

const toolBegun = z
  .object({ kind: z.literal('tool_begun'), at, call_id: z.string() })
  .meta({ title: 'A tool call begins that may change something' });

const edit = z.object({
  path: z.string(),
  before: z.string().nullable().describe('Null for a new file.'),
  after: z.string(),
});

const toolResult = z
  .object({
    kind: z.literal('tool_result'),
    at,
    call_id: text('Unique in the conversation; has a number after it if a model uses its id again.'),
    tool: z.string(),
    success: z.boolean(),
    output: z.string(),
    duration: z.number().describe('Milliseconds.'),
    interrupted: z.literal(true).describe('Set if the real result is unknown.').optional(),
    files: z
      .string()
      .nullable()
      .describe('Commit of the files after the call, in a run with git; null if there is none.')
      .optional(),
    edits: z
      .array(edit)
      .describe('Changes of files that the agent reports: whole texts, or the parts that differ.')
      .optional(),
  })
  .meta({ title: 'Result of a tool call' });

const usage = z
  .object({
    kind: z.literal('usage'),
    at,
    provider: z.string(),
    model: z.string(),
    usage: z.looseObject({
      requests: z.number(),
      input_tokens: count('Tokens sent, cached ones included.'),
      output_tokens: count('Tokens received, those of the reasoning included.'),
      cached_input_tokens: z.number().optional(),
      cache_write_tokens: z.number().optional(),
      reasoning_tokens: z.number().optional(),
      cost_usd: z.number().optional(),
    }),
  })
  .meta({ title: 'Model usage since the entry of this kind before it' });

const compacted = z
  .object({
    kind: z.literal('compacted'),
    at,
    summary: text('Text in place of the older turns.'),
    turns: count(
      'Number of replies of this conversation that it replaces, from the first; earlier stages of the thread are replaced too.',
    ),
  })
  .meta({ title: 'Older turns are replaced by a summary' });

const session = z
  .object({ kind: z.literal('session'), at, backend: z.string(), session_id: z.string() })
  .meta({ title: 'Session in which an agent keeps the conversation' });

const answered = z
  .object({
    kind: z.literal('answered'),
    at,
    response: z.string().optional(),
    outcome: json.optional(),
    status_file: text('Text of the `status.json` that was left.').optional(),
  })
  .meta({ title: 'The stage has its answer' });

const retried = z
  .object({ kind: z.literal('retried'), at, reason: z.string() })
  .meta({ title: 'Another attempt follows the answer' });

/** Lines of `conversation.jsonl`, by their kind. */
export const conversationEntries = [
  begun,
  user,
  person,
  assistant,
  toolBegun,
  toolResult,
  usage,
  compacted,
  session,
  answered,
  retried,
] as const;

/** Check of a line of `conversation.jsonl`. */
export const conversationEntry: z.ZodType<ConversationEntry> = z.discriminatedUnion(
  'kind',
  conversationEntries,
);
