import type {
  InterviewCompleted,
  InterviewStarted,
  InterviewTimeout,
  StageOutput,
  ToolCallCompleted,
  ToolCallStarted,
} from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { headOf } from '../cut-text.js';
import type { StageVisit } from '../stage-schema.js';

/** How many of each are kept of a visit: the latest. */
const entriesKept = 100;

/** Characters of what went into a tool, and of what came out. */
const toolTextKept = 2000;

/** Characters of the end of what a model answers. */
const outputKept = 20_000;

type At = { readonly timestamp: string };
type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** What more there is to say of a visit than stands in a line. */
export interface VisitDetails {
  contextUpdates: StageVisit['context_updates'];
  readonly questions: Writable<StageVisit['questions'][number]>[];
  readonly toolUses: (Writable<StageVisit['tool_uses'][number]> & { readonly callId: string })[];
  readonly log: StageVisit['log'][number][];
  output: string;
}

export function visitDetails(): VisitDetails {
  return { contextUpdates: {}, questions: [], toolUses: [], log: [], output: '' };
}

/** A stage asks a person (§6.2). */
export function noteQuestion({ questions }: VisitDetails, event: InterviewStarted & At): void {
  const { id, text, options } = event.question;
  // Put again when the run was resumed: it is still the same question.
  if (questions.some((question) => question.id === id && question.answer === null)) return;
  keepLatest(questions, {
    id,
    text,
    options: options.map(({ key, label }) => ({ key, label })),
    asked_at: event.timestamp,
    answer: null,
    duration_ms: null,
  });
}

/** A question was answered, or its time was up (§6.3, §6.5). */
export function noteAnswer({ questions }: VisitDetails, event: InterviewCompleted | InterviewTimeout): void {
  const question = questions.findLast(({ id, answer }) => id === event.question_id && answer === null);
  if (question === undefined) return;
  const { value, selected_option, text = null, by_default = false } = event.answer;
  question.answer = {
    value,
    label: selected_option?.label ?? null,
    text,
    by_default: by_default || event.type === 'InterviewTimeout',
  };
  question.duration_ms = event.duration;
}

/** A model calls a tool. */
export function noteToolCall({ toolUses }: VisitDetails, { call_id, tool, input }: ToolCallStarted): void {
  const text = headOf(typeof input === 'string' ? input : JSON.stringify(input), toolTextKept);
  keepLatest(toolUses, {
    callId: call_id,
    tool,
    input: text,
    output: null,
    success: null,
    duration_ms: null,
  });
}

/** A tool that a model has called is done. */
export function noteToolResult({ toolUses }: VisitDetails, event: ToolCallCompleted): void {
  const use = toolUses.findLast(({ callId, success }) => callId === event.call_id && success === null);
  if (use === undefined) return;
  use.success = event.success;
  use.output = headOf(event.output, toolTextKept);
  use.duration_ms = event.duration;
}

/** A part of what a model answers. */
export function noteOutput(details: VisitDetails, { channel, text }: StageOutput): void {
  if (channel !== 'response') return;
  const whole = details.output + text;
  // Cut seldom, so that each piece costs what it is long.
  details.output = whole.length > 2 * outputKept ? wholeCharacters(whole.slice(-outputKept)) : whole;
}

function wholeCharacters(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}

/** A visit has come to its outcome: whatever its model has answered is in a file now. */
export function noteOutcome(details: VisitDetails, { context_updates = {} }: Outcome): void {
  details.contextUpdates = context_updates as VisitDetails['contextUpdates'];
  details.output = '';
}

/** Appends to a list that does not grow for ever. */
export function keepLatest<Entry>(list: Entry[], entry: Entry): void {
  list.push(entry);
  if (list.length > entriesKept) list.splice(0, list.length - entriesKept);
}
