import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import type { QuestionDraft } from '../../handlers/question-draft.js';
import type { ToolExit } from '../../handlers/tools/protocol.js';
import type { Outcome } from '../../machine/outcome.js';
import type { Progress } from '../../machine/progress.js';

/** Schema for values that this program has written, and that need no check below their outline. */
const trusted = <Value>() => z.custom<Value>((value) => value !== undefined);

/** Acts of the other side during the exchange, in order; `at` is milliseconds since the exchange began. */
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

/** Error of a stage, with everything that decides about a retry (§3.6, Appendix D). */
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
  /** The attempt was stopped, for example by its timeout: later answers were not awaited. */
  z.object({
    kind: z.literal('stopped'),
    /** Acts after the stop, in the moment that it had to end. */
    late: z.array(act).optional(),
  }),
]);

/** Output of a tool: bytes, as text if they are one, or as a file next to the recording if they are many. */
const output = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('base64'), base64: z.string() }),
  z.object({ kind: z.literal('file'), file: z.string(), size: z.number() }),
]);

const toolEnd = z.object({
  exit: trusted<ToolExit>(),
  stdout: output,
  stderr: output,
  /** Set if it was stopped, and ended then. */
  stopped: z.literal(true).optional(),
});

const request = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('backend'),
    prompt: z.string(),
    system_prompt: z.string().optional(),
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
    /** Relative to the working directory of the run. */
    directory: z.string(),
    /** Additions of the engine to the inherited environment; of a long value its size and hash. */
    environment: z.array(z.tuple([z.string(), z.string()])),
  }),
  /** Handler that a program or a plugin brings. */
  z.object({ kind: z.literal('handler'), type: z.string() }),
]);

const reply = z.discriminatedUnion('kind', [
  /** Value that a backend or a handler returned; missing if there was none. */
  z.object({ kind: z.literal('returned'), value: trusted<JsonValue>().optional() }),
  z.object({ kind: z.literal('threw'), thrown }),
  z.object({ kind: z.literal('tool_ended'), end: toolEnd }),
  z.object({ kind: z.literal('no_directory') }),
]);

const exchange = z.object({
  kind: z.literal('exchange'),
  /** Number of the process that had it, as in the line of its session. */
  session: z.number(),
  /** Directory of the stages' files: `restart-<n>`, or empty. */
  place: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  /** Number of the exchange in this attempt, from 1. */
  call: z.number(),
  request,
  acts: z.array(act),
  reply,
  /** Context updates besides its answer. */
  context_updates: z.array(z.tuple([z.string(), trusted<JsonValue>()])).optional(),
  /** Status file that it left (Appendix C). */
  status_file: z.string().optional(),
  /** Milliseconds. */
  duration: z.number(),
});

/** Process that began the run, or resumed it. */
const session = z.object({
  kind: z.literal('session'),
  format: z.literal(1),
  session: z.number(),
  run_id: z.string(),
  run_directory: z.string(),
  working_directory: z.string(),
});

/** Line of `recording.jsonl`. */
export const recordingLine = z.discriminatedUnion('kind', [session, exchange]);

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Value[Key] }
    : Value;

/** One exchange of a stage's attempt with the outside: the request, and all answers. */
export type Exchange = DeepReadonly<z.infer<typeof exchange>>;
export type RecordedSession = Readonly<z.infer<typeof session>>;
export type ExchangeRequest = Readonly<z.infer<typeof request>>;
export type ExchangeReply = Readonly<z.infer<typeof reply>>;
export type ExchangeAct = Readonly<z.infer<typeof act>>;
export type RecordedThrow = Readonly<z.infer<typeof thrown>>;
export type RecordedOutput = Readonly<z.infer<typeof output>>;

/** Identity of an exchange in a run. */
export type ExchangeName = Pick<Exchange, 'place' | 'node_id' | 'visit' | 'attempt' | 'call'>;
