import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import type { QuestionDraft } from '../../handlers/question-draft.js';
import type { ToolExit } from '../../handlers/tools/protocol.js';
import type { Outcome } from '../../machine/outcome.js';
import type { Progress } from '../../machine/progress.js';

/** What was written by this program needs no second look below its outline. */
const trusted = <Value>() => z.custom<Value>((value) => value !== undefined);

/** What the other side did while it was at it, in order; `at` is milliseconds since the exchange began. */
const act = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), at: z.number(), progress: trusted<Progress>() }),
  z.object({ kind: z.literal('budget'), at: z.number() }),
  z.object({
    kind: z.literal('log'),
    at: z.number(),
    level: z.enum(['info', 'warning']),
    message: z.string(),
  }),
  z.object({ kind: z.literal('file'), at: z.number(), name: z.string(), text: z.string() }),
  z.object({ kind: z.literal('question'), at: z.number(), drafts: z.array(trusted<QuestionDraft>()) }),
]);

/** What kept a stage from an answer, with all that decides what becomes of it (§3.6, Appendix D). */
const thrown = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('error'),
    name: z.string().optional(),
    message: z.string(),
    category: z.enum(['retryable', 'terminal', 'pipeline']).optional(),
    retry_after_ms: z.number().optional(),
    status: z.number().optional(),
    code: z.string().optional(),
  }),
  z.object({ kind: z.literal('crash'), outcome: trusted<Outcome>() }),
  z.object({ kind: z.literal('suspended'), reason: z.string() }),
  /** The attempt was told to stop, as when its time was up: nobody waited for more. */
  z.object({
    kind: z.literal('stopped'),
    /** What it told all the same, in the moment that it had to stop. */
    late: z.array(act).optional(),
  }),
]);

/** What a tool printed: bytes, as text where they are one, or as a file next to the recording where they are many. */
const output = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('base64'), base64: z.string() }),
  z.object({ kind: z.literal('file'), file: z.string(), size: z.number() }),
]);

const toolEnd = z.object({
  exit: trusted<ToolExit>(),
  stdout: output,
  stderr: output,
  /** Set where it was told to stop, and ended then. */
  stopped: z.literal(true).optional(),
});

const request = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('backend'),
    prompt: z.string(),
    provider: z.string().optional(),
    model: z.string().optional(),
    reasoning_effort: z.string().optional(),
    fidelity: z.string().optional(),
    thread: z.string().optional(),
    labels: z.array(z.string()).optional(),
    targets: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal('tool'),
    command: z.string(),
    /** Seen from the working directory of the run. */
    directory: z.string(),
    /** What the engine adds to the inherited one; of a long value its size and hash. */
    environment: z.array(z.tuple([z.string(), z.string()])),
  }),
  /** A handler that a program or a plugin brings. */
  z.object({ kind: z.literal('handler'), type: z.string() }),
]);

const reply = z.discriminatedUnion('kind', [
  /** What a backend or a handler returned; missing where that was nothing. */
  z.object({ kind: z.literal('returned'), value: trusted<JsonValue>().optional() }),
  z.object({ kind: z.literal('threw'), thrown }),
  z.object({ kind: z.literal('tool_ended'), end: toolEnd }),
  z.object({ kind: z.literal('no_directory') }),
]);

const exchange = z.object({
  kind: z.literal('exchange'),
  /** The process that had it, as the line of a session numbers it. */
  session: z.number(),
  /** Where the stages of the run keep their files: `restart-<n>`, or nothing. */
  place: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  /** How many of this attempt there were, with this one. */
  call: z.number(),
  request,
  acts: z.array(act),
  reply,
  /** What it put into the context, next to its answer. */
  context_updates: z.array(z.tuple([z.string(), trusted<JsonValue>()])).optional(),
  /** The status file that it left (Appendix C). */
  status_file: z.string().optional(),
  /** Milliseconds. */
  duration: z.number(),
});

/** A process has begun the run, or continues with it. */
const session = z.object({
  kind: z.literal('session'),
  format: z.literal(1),
  session: z.number(),
  run_id: z.string(),
  run_directory: z.string(),
  working_directory: z.string(),
});

/** A line of `recording.jsonl`. */
export const recordingLine = z.discriminatedUnion('kind', [session, exchange]);

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Value[Key] }
    : Value;

/** One attempt of a stage with the outside: what was asked for, and all that came back. */
export type Exchange = DeepReadonly<z.infer<typeof exchange>>;
export type RecordedSession = Readonly<z.infer<typeof session>>;
export type ExchangeRequest = Readonly<z.infer<typeof request>>;
export type ExchangeReply = Readonly<z.infer<typeof reply>>;
export type ExchangeAct = Readonly<z.infer<typeof act>>;
export type RecordedThrow = Readonly<z.infer<typeof thrown>>;
export type RecordedOutput = Readonly<z.infer<typeof output>>;

/** Which exchange of a run it is. */
export type ExchangeName = Pick<Exchange, 'place' | 'node_id' | 'visit' | 'attempt' | 'call'>;
