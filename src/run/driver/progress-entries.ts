import type { JsonValue } from '../../graph/json.js';
import type { NewConversationEntry } from '../../handlers/conversation-entry.js';
import type { FileEdit, OutputChannel, Progress } from '../../machine/progress.js';
import type { Redactor } from '../../secrets/redactor.js';

/**
 * Maximum of characters of a text in an entry: a longer result or input is cut, with a mark, longer words come in several entries,
 * and a longer edit is left out.
 */
const longestText = 1024 * 1024;

/** Makes entries of a conversation from the progress that a backend reports; words are joined until something else follows. */
export class ProgressEntries {
  readonly #redactor: Redactor;
  #channel: OutputChannel = 'response';
  #pieces: string[] = [];
  #length = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** @returns the entries that are complete */
  entriesFor(progress: Progress): readonly NewConversationEntry[] {
    switch (progress.kind) {
      case 'text':
        return this.#add(progress.channel, progress.text);
      case 'tool_call_started': {
        const { call_id: toolCallId, tool: toolName, input, title } = progress;
        const call = { type: 'tool-call', toolCallId, toolName, input: this.#boundedInput(input), title };
        return [...this.take(), { kind: 'assistant', content: [call] }];
      }
      case 'tool_call_completed': {
        const { kind: _kind, output, edits, ...rest } = progress;
        const result = { output: this.#bounded(output), edits: keptEdits(edits) };
        return [...this.take(), { kind: 'tool_result', ...rest, ...result }];
      }
      case 'session_started':
        // Its answer follows, after which no attempt continues.
        if (progress.includes_stage === true) return this.take();
        return [
          ...this.take(),
          { kind: 'session', backend: progress.backend, session_id: progress.session_id },
        ];
      case 'request_retrying':
        // The words come again.
        if (progress.discards_text) this.#drop();
        return [];
      case 'conversation_compacting':
      case 'steering_delivered':
        return [];
      case 'model_used': {
        const { provider, model, usage } = progress;
        return [...this.take(), { kind: 'usage', provider, model, usage }];
      }
    }
  }

  /** Takes the words that are held back. */
  take(): readonly NewConversationEntry[] {
    if (this.#length === 0) return [];
    const type = this.#channel === 'response' ? 'text' : 'reasoning';
    const text = this.#pieces.join('');
    this.#drop();
    return [{ kind: 'assistant', content: [{ type, text }] }];
  }

  #drop(): void {
    this.#pieces = [];
    this.#length = 0;
  }

  #add(channel: OutputChannel, text: string): readonly NewConversationEntry[] {
    const isOther = channel !== this.#channel || this.#length + text.length > longestText;
    const complete = isOther ? this.take() : [];
    this.#channel = channel;
    this.#pieces.push(text);
    this.#length += text.length;
    return complete;
  }

  #boundedInput(input: JsonValue): JsonValue {
    const text = JSON.stringify(input);
    return text.length > longestText ? this.#bounded(text) : input;
  }

  #bounded(output: string): string {
    // Half of a secret would not be found.
    const text = output.length > longestText ? this.#redactor.text(output) : output;
    const missing = text.length - longestText;
    return missing <= 0 ? text : `${text.slice(0, longestText)}\n[… ${missing} characters left out …]`;
  }
}

/** Edits that are well-formed and not too long; undefined if there are none. */
function keptEdits(edits: readonly FileEdit[] | undefined): readonly FileEdit[] | undefined {
  if (!Array.isArray(edits)) return undefined;
  const kept = edits.filter(
    ({ path, before, after }) =>
      typeof path === 'string' &&
      (before === null || typeof before === 'string') &&
      typeof after === 'string' &&
      (before?.length ?? 0) + after.length <= longestText,
  );
  return kept.length === 0 ? undefined : kept;
}
