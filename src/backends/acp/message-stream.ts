import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { isRecord } from '../../graph/json.js';

/** Receives events of a connection other than requests and their answers. */
export interface MessageListener {
  /** Called for any message of the protocol, which shows that the other side is alive. */
  heard(): void;
  /** Called with the parameters of `session/update`, unchecked. */
  updated(params: unknown): void;
  /** Called with any other notification, unchecked. */
  notified(method: string, params: unknown): void;
  /** Called with a line that is not a message of the protocol. */
  garbled(line: string): void;
  /** Called when a message is too long, after which nothing is read. */
  tooLong(): void;
}

/** Maximum of characters of a message; a longer one is an error. */
export const longestMessage = 64_000_000;

/**
 * Stream of an agent's messages, one JSON object a line. Notifications go to the listener unchecked, and
 * other lines never reach the library: it would refuse updates that are newer than itself, and complain on
 * the console.
 */
export function messageStream(input: Writable, output: Readable, listener: MessageListener): Stream {
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const lines = new LineReader((line) => {
        const message = messageIn(line);
        if (message === undefined) return listener.garbled(line);
        listener.heard();
        if (message.method === 'session/update') return listener.updated(message.params);
        if (isForLibrary(message)) return controller.enqueue(message as unknown as AnyMessage);
        if (typeof message.method === 'string') listener.notified(message.method, message.params);
      });
      output.setEncoding('utf8');
      output.on('data', (text: string) => {
        try {
          lines.read(text);
        } catch (error) {
          if (error instanceof MessageTooLong) listener.tooLong();
          output.destroy();
          controller.error(error);
        }
      });
      output.once('close', () => {
        try {
          controller.close();
        } catch {
          // It was ended by an error, or by the other side.
        }
      });
    },
    cancel() {
      output.destroy();
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((resolve) => {
        // The end of an agent is noticed elsewhere, not by each message that it does not receive.
        input.write(`${JSON.stringify(message)}\n`, () => resolve());
      }),
  });
  return { readable, writable };
}

class LineReader {
  readonly #onLine: (line: string) => void;
  #begun: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** @throws MessageTooLong */
  read(text: string): void {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = this.#begun.length === 0 ? line : [...this.#begun, line].join('');
      this.#begun = [];
      this.#length = 0;
      if (whole.trim() !== '') this.#onLine(whole);
    }
    if (rest === '') return;
    this.#begun.push(rest);
    this.#length += rest.length;
    if (this.#length > longestMessage) throw new MessageTooLong('a message is too long');
  }
}

class MessageTooLong extends Error {}

type Message = Readonly<Record<string, unknown>>;

function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && (typeof value.method === 'string' || 'id' in value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True for requests and answers, but not for notifications: the library would refuse unknown ones. */
function isForLibrary(message: Message): boolean {
  return message.id !== undefined && message.id !== null;
}
