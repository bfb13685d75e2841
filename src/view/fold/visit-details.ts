import type {
  InterviewCompleted,
  InterviewStarted,
  InterviewTimeout,
  StageOutput,
  StageSteered,
  SteeringDelivered,
  ToolCallCompleted,
  ToolCallStarted,
} from '../../machine/event.js';
import { headOf } from '../cut-text.js';
import type { StageVisit } from '../stage-schema.js';

/** Number of entries of each kind that are kept of a visit: the latest. */
const entriesKept = 100;

/** Characters of the input of a tool, and of its output. */
const toolTextKept = 2000;

/** Characters of the end of a model's answer. */
const outputKept = 20_000;

type At = { readonly timestamp: string };
type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Details of a visit beyond its line in a list. */
export interface VisitDetails {
  readonly questions: Writable<StageVisit['questions'][number]>[];
  readonly words: Writable<StageVisit['words'][number]>[];
  readonly toolUses: (Writable<StageVisit['tool_uses'][number]> & { readonly callId: string })[];
  readonly log: StageVisit['log'][number][];
  output: string;
  /** Length of the part of the output that belongs to the latest request, which may be discarded. */
  latest: number;
  /** True after the end of a request: the next text belongs to another. */
  isClosed: boolean;
}

export function visitDetails(): VisitDetails {
  return { questions: [], words: [], toolUses: [], log: [], output: '', latest: 0, isClosed: true };
}

/** Records a question to a person (§6.2). */
export function noteQuestion({ questions }: VisitDetails, event: InterviewStarted & At): void {
  const { id, text, options } = event.question;
  // Repeated when the run was resumed: it is still the same question.
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

/** Records the answer to a question, or its timeout (§6.3, §6.5). */
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

/** Records the words of a person to the model. */
export function noteWords({ words }: VisitDetails, event: StageSteered & At): void {
  const { steering_id: id, text, by = null, timestamp: at } = event;
  keepLatest(words, { id, text, by, at, delivered_at: null });
}

export function noteDelivery({ words }: VisitDetails, event: SteeringDelivered & At): void {
  const said = words.find(({ id }) => id === event.steering_id);
  if (said !== undefined) said.delivered_at = event.timestamp;
}

/** Records the call of a tool by a model. */
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

/** Records the result of a tool call. */
export function noteToolResult({ toolUses }: VisitDetails, event: ToolCallCompleted): void {
  const use = toolUses.findLast(({ callId, success }) => callId === event.call_id && success === null);
  if (use === undefined) return;
  use.success = event.success;
  use.output = headOf(event.output, toolTextKept);
  use.duration_ms = event.duration;
}

/** Records a part of a model's answer. */
export function noteOutput(details: VisitDetails, { channel, text }: StageOutput): void {
  const isShown = channel === 'response';
  details.latest = (details.isClosed ? 0 : details.latest) + (isShown ? text.length : 0);
  details.isClosed = false;
  if (!isShown) return;
  const output = details.output + text;
  // Cut seldom, so that the cost of a piece depends on its own length only.
  details.output = output.length > 2 * outputKept ? wholeCharacters(output.slice(-outputKept)) : output;
}

/** Ends the output of a request. */
export function closeOutput(details: VisitDetails): void {
  details.isClosed = true;
}

/** Removes the output of the latest request, which comes again. */
export function discardOutput(details: VisitDetails): void {
  details.output = details.output.slice(0, Math.max(0, details.output.length - details.latest));
  details.latest = 0;
  details.isClosed = true;
}

function wholeCharacters(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}

/** Appends to a list of limited length. */
export function keepLatest<Entry>(list: Entry[], entry: Entry): void {
  list.push(entry);
  if (list.length > entriesKept) list.splice(0, list.length - entriesKept);
}
