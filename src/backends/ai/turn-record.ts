import type { AssistantModelMessage, ModelMessage } from 'ai';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { BackendConversation, EarlierConversation } from '../../handlers/conversation.js';
import type { EntryOf, NewConversationEntry } from '../../handlers/conversation-entry.js';
import type { ModelReply, RequestedCall } from './request-model.js';

/** Owner name of our conversations. */
const backend = 'ai';

/** Summary in place of the older turns of a conversation that was too long (SEMANTICS 125). */
export interface Compaction {
  readonly summary: string;
  /** Number of turns of the stage that it replaces; it also replaces all earlier stages of the thread. */
  readonly turns: number;
}

/**
 * Turns of one stage: each is on the disk before the next request, and an attempt that continues a conversation first gets the
 * recorded ones (SEMANTICS 123).
 */
export class TurnRecord {
  readonly #conversation: BackendConversation | undefined;
  readonly #replies: EntryOf<'assistant'>[] = [];
  readonly #users: EntryOf<'user'>[] = [];
  readonly #results = new Map<string, EntryOf<'tool_result'>>();
  readonly #begun = new Set<string>();
  /** Words of people, by the number of replies before them. */
  readonly #words = new Map<number, EntryOf<'person'>[]>();
  readonly #heard = new Set<string>();
  #repliesPlayed = 0;
  /** True if entries were added that may not be kept yet. */
  #isAhead = false;
  /** The summary that is recorded. */
  readonly compaction: Compaction | undefined;

  /** @param earlier conversation to continue */
  constructor(conversation?: BackendConversation, earlier?: EarlierConversation) {
    this.#conversation = conversation;
    const entries = earlier?.entries ?? [];
    this.compaction = entries.findLast((entry) => entry.kind === 'compacted');
    for (const entry of entries) {
      if (entry.kind === 'assistant') this.#replies.push(entry);
      if (entry.kind === 'user') this.#users.push(entry);
      if (entry.kind === 'person') this.#notePerson(entry);
      if (entry.kind === 'tool_begun') this.#begun.add(entry.call_id);
      if (entry.kind === 'tool_result') this.#results.set(entry.call_id, entry);
    }
  }

  #notePerson(entry: EntryOf<'person'>): void {
    if (entry.steering_id === undefined) return;
    const after = this.#replies.length;
    this.#words.set(after, [...(this.#words.get(after) ?? []), entry]);
    this.#heard.add(entry.steering_id);
  }

  /** Words of people that follow the replies so far: the recorded ones, then new ones, each once. */
  wordsOfPeople(steering: BackendCall['steering']): readonly ModelMessage[] {
    const recorded = this.#words.get(this.#repliesPlayed) ?? [];
    this.#words.delete(this.#repliesPlayed);
    const texts = recorded.map(({ text }) => text);
    if (this.#replies.length === 0) texts.push(...this.#newWords(steering));
    return texts.map((content) => ({ role: 'user', content }));
  }

  #newWords(steering: BackendCall['steering']): readonly string[] {
    const { waiting = [] } = steering ?? {};
    return waiting.flatMap(({ id, text, by }) => {
      const isNew = !this.#heard.has(id);
      // On the disk before anything depends on it: a crash in between must neither lose nor repeat it.
      if (isNew) this.#add({ kind: 'person', text, steering_id: id, by });
      this.#heard.add(id);
      steering?.delivered(id);
      return isNew ? [text] : [];
    });
  }

  /** True if the files of the stage were put back to the last completed call. */
  get keepsFiles(): boolean {
    return this.#conversation?.keepsFiles === true;
  }

  /** Message of the user that comes next: recorded, or new. */
  userMessage(text: string): ModelMessage {
    const recorded = this.#users.shift();
    if (recorded !== undefined) return { role: 'user', content: recorded.text };
    this.#add({ kind: 'user', text });
    return { role: 'user', content: text };
  }

  /** Prompt with which the conversation began: the recorded one, or the given one, which is recorded already. */
  firstMessage(prompt: string): ModelMessage {
    return { role: 'user', content: this.#users.shift()?.text ?? prompt };
  }

  /** Next recorded reply; undefined when the model must be asked. */
  recordedReply(): ModelReply | undefined {
    const recorded = this.#replies.shift();
    this.#repliesPlayed += 1;
    return recorded && replyOf(recorded);
  }

  keepReply({ messages, calls, end }: ModelReply): void {
    const content = messages.flatMap(partsOf);
    const problems = calls.flatMap(({ problem }, call) => (problem === undefined ? [] : [{ call, problem }]));
    this.#add({
      kind: 'assistant',
      content,
      end,
      problems: problems.length === 0 ? undefined : problems,
    });
  }

  keepCompaction({ summary, turns }: Compaction): void {
    this.#add({ kind: 'compacted', summary, turns });
  }

  /** Recorded result of a call. */
  resultOf(callId: string): EntryOf<'tool_result'> | undefined {
    return this.#results.get(callId);
  }

  /** Number of recorded calls of a tool that succeeded. */
  successesOf(tool: string): number {
    return [...this.#results.values()].filter((result) => result.tool === tool && result.success).length;
  }

  /** True if a call was begun whose result is unknown. */
  wasInterrupted(callId: string): boolean {
    return this.#begun.has(callId);
  }

  /** Records that a call begins which must not be made twice. */
  async callBegins(call_id: string): Promise<void> {
    this.#add({ kind: 'tool_begun', call_id });
    await this.kept();
  }

  /** Resolves when all turns so far are where another machine finds them, if the run may continue there. */
  async kept(): Promise<void> {
    if (!this.#isAhead) return;
    this.#isAhead = false;
    await this.#conversation?.kept();
  }

  #add(entry: NewConversationEntry): void {
    this.#isAhead = true;
    this.#conversation?.add(entry);
  }

  /** @param mayHaveChanged true if files may be others after it */
  async keepResult(
    result: Omit<EntryOf<'tool_result'>, 'kind' | 'at' | 'files'>,
    mayHaveChanged: boolean,
  ): Promise<void> {
    const files = mayHaveChanged ? await this.#conversation?.snapshot() : undefined;
    this.#add({ kind: 'tool_result', ...result, files });
  }
}

/** Begins the conversation of a stage, or continues the one that an earlier attempt has left. */
export async function beginRecord(nodeId: string, model: string, call: BackendCall): Promise<TurnRecord> {
  const { conversation, thread, log } = call;
  if (conversation === undefined) return new TurnRecord();
  const earlier = continued(conversation.earlier, { nodeId, model, thread, log });
  const turns = earlier?.entries.filter(({ kind }) => kind === 'assistant').length ?? 0;
  if (turns > 0) {
    const completed = turns === 1 ? '1 completed turn' : `${turns} completed turns`;
    log('info', `"${nodeId}" continues its conversation after ${completed}`);
  }
  const continues = earlier !== undefined;
  await conversation.begin({ backend, model, thread, continues, recordsTurns: true });
  return new TurnRecord(conversation, earlier);
}

/** Earlier conversation, if the stage would still have the same one. */
function continued(
  earlier: EarlierConversation | undefined,
  now: Pick<BackendCall, 'thread' | 'log'> & { readonly nodeId: string; readonly model: string },
): EarlierConversation | undefined {
  if (earlier === undefined) return undefined;
  const { begun } = earlier;
  const isSame = begun.backend === backend && begun.model === now.model && begun.thread === now.thread;
  if (isSame) return earlier;
  const before = begun.model ?? begun.backend;
  const why = before === now.model ? 'its thread is another one' : `it was with ${before}`;
  now.log('info', `"${now.nodeId}" cannot continue its conversation and begins a new one: ${why}`);
  return undefined;
}

type Part = EntryOf<'assistant'>['content'][number];

function partsOf({ content }: ModelMessage): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content as unknown as readonly Part[];
}

function replyOf({ content, end = 'complete', problems = [] }: EntryOf<'assistant'>): ModelReply {
  const calls = content.filter(isCall).map((part, index): RequestedCall => {
    const call = { id: String(part.toolCallId), name: String(part.toolName), input: part.input };
    const problem = problems.find((one) => one.call === index)?.problem;
    return problem === undefined ? call : { ...call, problem };
  });
  const text = content.map((part) => (part.type === 'text' ? String(part.text) : '')).join('');
  const message = { role: 'assistant', content } as unknown as AssistantModelMessage;
  return { text, calls, end, messages: content.length === 0 ? [] : [message] };
}

function isCall({ type, providerExecuted }: Part): boolean {
  return type === 'tool-call' && providerExecuted !== true;
}
