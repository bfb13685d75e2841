import { createParser, type EventSourceParser } from 'eventsource-parser';
import { isRecord } from '../../graph/json.js';
import type { Usage } from '../../machine/usage.js';
import { usageSoFar } from '../ai/usage-so-far.js';

/** Bytes of a reply without a stream that are kept; a larger one is not that of a model. */
const longestReply = 64 * 1024 * 1024;

/** Reads the usage of a request from its reply while that passes, in the formats of Anthropic, OpenAI and Google. */
export class WireMeter {
  readonly #decoder = new TextDecoder();
  readonly #events: EventSourceParser | undefined;
  #text = '';
  #usage: Usage | undefined;
  #model: string | undefined;
  #isComplete = false;

  /** @param contentType of the reply */
  constructor(contentType: string) {
    if (!/event-stream/i.test(contentType)) return;
    this.#events = createParser({ onEvent: ({ data }) => this.#take(data) });
  }

  /** Usage so far; undefined if the reply has not said any. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Model that answers, as the reply says. */
  get model(): string | undefined {
    return this.#model;
  }

  /** True once nothing more is to come about usage, although the stream may still be open. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (this.#events !== undefined) return this.#events.feed(text);
    if (this.#text.length < longestReply) this.#text += text;
  }

  /** Called when the reply is over. */
  end(): void {
    if (this.#events === undefined) this.#take(this.#text);
    this.#isComplete = true;
  }

  #take(data: string): void {
    if (data.trim() === '[DONE]') {
      this.#isComplete = true;
      return;
    }
    const value = parsed(data);
    // Google streams a list of events if no event stream is asked for.
    for (const event of Array.isArray(value) ? value : [value]) this.#read(event);
  }

  #read(event: unknown): void {
    if (!isRecord(event)) return;
    this.#usage = usageSoFar(this.#usage, event);
    this.#model ??= modelIn(event);
    if (typeof event.type === 'string' && lastEvents.has(event.type)) this.#isComplete = true;
  }
}

/** Types of the events that end a stream. */
const lastEvents: ReadonlySet<string> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

function modelIn(event: Readonly<Record<string, unknown>>): string | undefined {
  const inner = [event.message, event.response].filter(isRecord).map(({ model }) => model);
  return [event.model, event.modelVersion, ...inner].find(
    (name): name is string => typeof name === 'string' && name !== '',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
