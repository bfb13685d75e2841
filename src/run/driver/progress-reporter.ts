import type { JsonValue } from '../../graph/json.js';
import type { OutputChannel, Progress } from '../../machine/progress.js';
import { boundedText, longestText } from '../../run-directory/bounded-text.js';
import { byteLength } from '../../run-directory/byte-length.js';
import { noRedactor, type Redactor } from '../../secrets/redactor.js';
import type { TextStream } from '../../secrets/text-stream.js';
import { checkUsage } from './check-usage.js';

/** Characters of a piece: about what a person reads in a second or two, and an event costs as much again. */
const pieceLength = 400;

/**
 * Makes events of a stage's progress: pieces of text are joined to some that are worth a line of the
 * journal. The cuts depend on the text alone, not on the pieces in which it came, so that the same answer
 * gives the same events.
 */
export class ProgressReporter {
  readonly #emit: (progress: Progress) => void;
  readonly #redactor: Redactor;
  readonly #onText: (channel: OutputChannel, text: string) => void;
  /** Stream that finds a secret even if it comes in several pieces. */
  #clean: TextStream | undefined;
  #channel: OutputChannel = 'response';
  #text = '';

  /** @param onText called with text as it comes, without secrets */
  constructor(
    emit: (progress: Progress) => void,
    redactor: Redactor = noRedactor,
    onText: (channel: OutputChannel, text: string) => void = () => undefined,
  ) {
    this.#emit = emit;
    this.#redactor = redactor;
    this.#onText = onText;
  }

  report(progress: Progress): void {
    if (progress.kind === 'text') return this.#add(progress);
    this.flush();
    this.#emit(bounded(progress, this.#redactor));
  }

  /** Reports the text that is held back. */
  flush(): void {
    const text = this.#text + this.#heard(this.#clean?.end() ?? '');
    this.#clean = undefined;
    this.#text = '';
    if (text !== '') this.#emit({ kind: 'text', channel: this.#channel, text });
  }

  #add({ channel, text }: Extract<Progress, { readonly kind: 'text' }>): void {
    if (channel !== this.#channel) this.flush();
    this.#channel = channel;
    this.#clean ??= this.#redactor.stream();
    this.#text += this.#heard(this.#clean.add(text));
    while (this.#text.length > pieceLength) {
      const piece = firstPiece(this.#text);
      this.#text = this.#text.slice(piece.length);
      this.#emit({ kind: 'text', channel, text: piece });
    }
  }

  #heard(text: string): string {
    if (text !== '') this.#onText(this.#channel, text);
    return text;
  }
}

/** Whole lines or words if there are any; never half of a character. */
function firstPiece(text: string): string {
  const head = text.slice(0, pieceLength);
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' ')) + 1;
  if (end > 0) return head.slice(0, end);
  const last = head.charCodeAt(pieceLength - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}

/** Value that an event can hold: one that is too long becomes the beginning of its text. */
function boundedJson(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return byteLength(text) <= longestText ? value : boundedText(text);
}

/** An event is small; the files of the stage have everything. */
function bounded(progress: Exclude<Progress, { readonly kind: 'text' }>, redactor: Redactor): Progress {
  switch (progress.kind) {
    case 'tool_call_started':
      return {
        ...progress,
        tool: boundedText(redactor.text(progress.tool)),
        input: boundedJson(redactedData(progress.input, redactor)),
      };
    case 'tool_call_completed':
      return {
        ...progress,
        tool: boundedText(redactor.text(progress.tool)),
        output: boundedText(redactor.text(progress.output)),
      };
    case 'model_used':
      checkUsage(progress.usage);
      return { ...progress, provider: boundedText(progress.provider), model: boundedText(progress.model) };
    case 'request_retrying':
      return {
        ...progress,
        provider: boundedText(progress.provider),
        model: boundedText(progress.model),
        reason: boundedText(redactor.text(progress.reason)),
        error: boundedText(redactor.text(progress.error)),
      };
    case 'conversation_compacting':
      return {
        ...progress,
        provider: boundedText(progress.provider),
        model: boundedText(progress.model),
        error: boundedText(redactor.text(progress.error)),
      };
    case 'steering_delivered':
    case 'session_started':
      return progress;
  }
}

/** Redacts a value by its text, so that a value that is not JSON is an error as before. */
function redactedData(value: JsonValue, redactor: Redactor): JsonValue {
  const text = JSON.stringify(value);
  const clean = redactor.jsonText(text);
  return clean === text ? value : JSON.parse(clean);
}
