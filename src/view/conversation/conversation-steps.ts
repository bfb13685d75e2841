import type { JsonValue } from '../../graph/json.js';
import type { ConversationEntry, EntryOf } from '../../handlers/conversation-entry.js';
import type { FileEdit, OutputChannel } from '../../machine/progress.js';
import { addUsage, type Usage } from '../../machine/usage.js';
import { editsInInput } from './file-edits.js';

/** An attempt begins. */
export interface AttemptStep extends Pick<EntryOf<'begun'>, 'attempt' | 'backend' | 'model' | 'continues'> {
  readonly kind: 'attempt';
  readonly at: string;
}

/** Prompt, or another request of the engine. */
interface RequestStep {
  readonly kind: 'request';
  readonly at: string;
  readonly text: string;
  readonly isPrompt: boolean;
}

interface PersonStep extends Pick<EntryOf<'person'>, 'text' | 'question' | 'by'> {
  readonly kind: 'person';
  readonly at: string;
}

/** Turn of the model: its words and tool calls, up to the next request to it. */
export interface TurnStep {
  readonly kind: 'turn';
  readonly at: string;
  /** From 1, in the visit. */
  readonly number: number;
  readonly parts: readonly TurnPart[];
  /** Usage that was reported with it; undefined if none was. */
  readonly used?: TurnUsage | undefined;
  /** Set if the reply is not complete. */
  readonly end?: 'cut_off' | 'filtered' | undefined;
}

export interface TurnUsage {
  readonly usage: Usage;
  /** Number of turns that it covers: this one, and those before it without a report. */
  readonly turns: number;
}

export type TurnPart = WordsPart | CallPart;

export interface WordsPart {
  readonly kind: 'words';
  readonly channel: OutputChannel;
  readonly text: string;
}

/** Tool call, with its result as soon as there is one. */
export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly tool: string;
  readonly title?: string | undefined;
  readonly input: JsonValue;
  readonly edits: readonly FileEdit[];
  readonly result?: CallEnd | undefined;
}

export type CallEnd = Pick<EntryOf<'tool_result'>, 'success' | 'output' | 'duration' | 'interrupted'>;

/** End of an attempt that has an answer. */
interface AnswerStep extends Pick<EntryOf<'answered'>, 'outcome'> {
  readonly kind: 'answer';
  readonly at: string;
}

/** Reason why another attempt follows. */
interface RetriedStep {
  readonly kind: 'retried';
  readonly at: string;
  readonly reason: string;
}

/** A summary replaces older turns in the requests to the model. */
interface CompactedStep extends Pick<EntryOf<'compacted'>, 'summary' | 'turns'> {
  readonly kind: 'compacted';
  readonly at: string;
}

export type ConversationStep =
  | AttemptStep
  | RequestStep
  | PersonStep
  | TurnStep
  | AnswerStep
  | RetriedStep
  | CompactedStep;

/** Conversation of a visit for people: its entries grouped to turns, with the result of each call at the call. */
export function conversationSteps(entries: readonly ConversationEntry[]): readonly ConversationStep[] {
  const reader = new ConversationReader();
  for (const entry of entries) reader.read(entry);
  return reader.steps;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
type OpenTurn = Mutable<Omit<TurnStep, 'parts'>> & { readonly parts: TurnPart[] };
type OpenCall = Mutable<CallPart>;

/** The same for a conversation that grows: the latest turns change in place as more of them is read. */
export class ConversationReader {
  readonly #steps: ConversationStep[] = [];
  readonly #calls = new Map<string, OpenCall>();
  readonly #ids = new Map<string, number>();
  /** Latest turn of the attempt. */
  #turn: OpenTurn | undefined;
  /** True if the next words begin another turn. */
  #isOver = true;
  #turns = 0;
  /** True if the model has said something since the last request to it. */
  #hasReplied = false;
  /** Usage that was reported before the words of its turn. */
  #early: Usage | undefined;
  #turnsUncounted = 0;
  #hasWords = false;
  #isFirstRequest = true;

  get steps(): readonly ConversationStep[] {
    return this.#steps;
  }

  read(entry: ConversationEntry): void {
    if (entry.kind === 'assistant') this.#hasReplied = true;
    else if (entry.kind === 'user' || entry.kind === 'tool_result') this.#hasReplied = false;
    switch (entry.kind) {
      case 'begun':
        return this.#begin(entry);
      case 'user':
        this.#isOver = true;
        this.#steps.push({ kind: 'request', at: entry.at, text: entry.text, isPrompt: this.#isFirstRequest });
        this.#isFirstRequest = false;
        return;
      case 'person': {
        this.#isOver = true;
        const { kind, at, text, question, by } = entry;
        return void this.#steps.push({ kind, at, text, question, by });
      }
      case 'assistant':
        return this.#say(entry);
      case 'tool_result':
        return this.#end(entry);
      case 'usage':
        return this.#use(entry.usage);
      case 'answered':
        return this.#answer(entry);
      case 'retried':
        return void this.#steps.push({ kind: 'retried', at: entry.at, reason: entry.reason });
      case 'compacted': {
        this.#isOver = true;
        const { kind, at, summary, turns } = entry;
        return void this.#steps.push({ kind, at, summary, turns });
      }
      case 'tool_begun':
      case 'session':
    }
  }

  #begin({ at, attempt, backend, model, continues }: EntryOf<'begun'>): void {
    this.#steps.push({ kind: 'attempt', at, attempt, backend, model, continues });
    this.#turn = undefined;
    this.#early = undefined;
    this.#isOver = true;
    this.#turnsUncounted = 0;
    this.#hasWords = false;
    this.#isFirstRequest = !continues;
    if (continues) return;
    this.#calls.clear();
    this.#ids.clear();
  }

  #say({ at, content, end }: EntryOf<'assistant'>): void {
    // A whole reply is a turn; parts of one are joined.
    const turn = this.#turnFor(at, end !== undefined);
    for (const part of content) {
      const text = typeof part.text === 'string' ? part.text : '';
      if (part.type === 'text') this.#addWords(turn, 'response', text);
      else if (part.type === 'reasoning') this.#addWords(turn, 'reasoning', text);
      else if (part.type === 'tool-call') turn.parts.push(this.#callOf(part));
    }
    if (end === undefined) return;
    if (end !== 'complete') turn.end = end;
    this.#isOver = true;
  }

  #addWords({ parts }: OpenTurn, channel: OutputChannel, text: string): void {
    if (text === '') return;
    if (channel === 'response') this.#hasWords = true;
    const last = parts.at(-1);
    // One that was too long for an entry.
    if (last?.kind === 'words' && last.channel === channel)
      parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ kind: 'words', channel, text });
  }

  #callOf({ toolCallId, toolName, input, title }: EntryOf<'assistant'>['content'][number]): CallPart {
    const given = String(toolCallId);
    const count = (this.#ids.get(given) ?? 0) + 1;
    this.#ids.set(given, count);
    const id = count === 1 ? given : `${given}.${count}`;
    const call: OpenCall = {
      kind: 'call',
      id,
      tool: String(toolName),
      title: typeof title === 'string' ? title : undefined,
      input: (input ?? null) as JsonValue,
      edits: editsInInput((input ?? null) as JsonValue),
    };
    this.#calls.set(id, call);
    return call;
  }

  #end({
    at,
    call_id: id,
    tool,
    success,
    output,
    duration,
    interrupted,
    edits,
  }: EntryOf<'tool_result'>): void {
    let call = this.#calls.get(id);
    if (call === undefined) {
      // The beginning of the conversation is not known.
      call = { kind: 'call', id, tool, input: null, edits: [] };
      this.#turnFor(at, false).parts.push(call);
    }
    this.#calls.delete(id);
    call.result = { success, output, duration, interrupted };
    if (edits !== undefined) call.edits = edits;
    this.#isOver = true;
  }

  #use(usage: Usage): void {
    // The metering gateway knows of a request before its agent reports the words.
    if (this.#turn === undefined || !this.#hasReplied) {
      this.#early = this.#early === undefined ? usage : addUsage(this.#early, usage);
      return;
    }
    const { used } = this.#turn;
    this.#turn.used =
      used === undefined
        ? { usage, turns: this.#turnsUncounted }
        : { ...used, usage: addUsage(used.usage, usage) };
    this.#turnsUncounted = 0;
  }

  #answer({ at, response, outcome }: EntryOf<'answered'>): void {
    // Code of somebody else may have said nothing before.
    if (response !== undefined && response !== '' && !this.#hasWords)
      this.#addWords(this.#turnFor(at, false), 'response', response);
    if (this.#early !== undefined) {
      this.#hasReplied = true;
      this.#use(this.#early);
      this.#early = undefined;
    }
    this.#isOver = true;
    this.#steps.push({ kind: 'answer', at, outcome });
  }

  #turnFor(at: string, isWhole: boolean): OpenTurn {
    if (this.#turn !== undefined && !this.#isOver && !isWhole) return this.#turn;
    this.#turns += 1;
    this.#turnsUncounted += 1;
    const turn: OpenTurn = { kind: 'turn', at, number: this.#turns, parts: [] };
    this.#turn = turn;
    this.#isOver = false;
    if (this.#early !== undefined) {
      turn.used = { usage: this.#early, turns: 1 };
      this.#early = undefined;
      this.#turnsUncounted = 0;
    }
    this.#steps.push(turn);
    return turn;
  }
}
