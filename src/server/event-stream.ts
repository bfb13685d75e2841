import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { untilAborted } from '../abort/abort.js';
import { ownTurn } from '../journal/own-turn.js';

/** Messages of an event stream, and who ends it. */
export interface StreamedEvents<Item> {
  readonly items: AsyncIterable<Item>;
  /** The message of an item, as server-sent events write it. */
  readonly frameOf: (item: Item) => string;
  /** Aborted when the client has gone, or the server stops; aborts the events too. */
  readonly stream: AbortController;
  /** False once the client may be sent nothing more; asked before each piece and each comment. */
  readonly isAllowed: () => boolean;
  /** The data of the last message, once the items have ended by themselves; undefined sends none. */
  readonly ending: () => object | undefined;
  /** Body of the `problem` event sent when the stream fails. */
  readonly problemOf: (error: unknown) => object;
  readonly heartbeatMs?: number;
}

/** Proxies close connections on which nothing comes; most wait for a minute. */
const usualHeartbeatMs = 15_000;
/** Milliseconds after which a browser that has lost the connection reconnects. */
const retryMs = 2000;

/**
 * Answers with items as server-sent events (SEMANTICS 73). Regular comments keep the connection; the message `end`
 * means that no more will come, and `problem` gives the reason why none can. Nothing is taken from the run before the
 * client has room for it, and a client that leaves frees the events at once.
 */
export function eventStream<Item>(context: Context, streamed: StreamedEvents<Item>): Response {
  const { items, frameOf, stream, isAllowed, ending, problemOf, heartbeatMs = usualHeartbeatMs } = streamed;
  const { signal } = stream;
  return streamSSE(context, async (client) => {
    client.onAbort(() => stream.abort());
    const pieces = new Pieces(async (text) => {
      if (isAllowed()) await untilAborted(client.write(text), signal);
      else stream.abort();
    });
    const heartbeat = setInterval(() => pieces.addIfIdle(': still here\n\n'), heartbeatMs).unref();
    const last = async (): Promise<string | undefined> => {
      try {
        for await (const item of items) {
          if (signal.aborted) return undefined;
          pieces.add(frameOf(item));
          if (pieces.isFull) await pieces.sent;
        }
        return endMessage(ending());
      } catch (error) {
        return messageFrame('problem', problemOf(error));
      }
    };
    pieces.add(`retry: ${retryMs}\n\n`);
    const text = await last();
    clearInterval(heartbeat);
    // The consumer that stopped the stream expects no more events.
    if (text !== undefined && !signal.aborted) pieces.add(text);
    await pieces.sent;
    stream.abort();
  });
}

/** A message as server-sent events write it. */
export function messageFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function endMessage(data: object | undefined): string | undefined {
  return data && messageFrame('end', data);
}

/** Frames that leave in one piece, each in a turn of the event loop that it shares with no other stream. */
class Pieces {
  readonly #send: (text: string) => Promise<void>;
  #text = '';
  #sent: Promise<void> | undefined;

  constructor(send: (text: string) => Promise<void>) {
    this.#send = send;
  }

  get isFull(): boolean {
    return this.#text.length >= pieceLength;
  }

  /** Resolves when the client has taken what was added. */
  get sent(): Promise<void> | undefined {
    return this.#sent;
  }

  add(frame: string): void {
    this.#text += frame;
    this.#sent ??= this.#sendAll();
  }

  /** Adds a frame unless others wait to be sent. */
  addIfIdle(frame: string): void {
    if (this.#sent === undefined) this.add(frame);
  }

  async #sendAll(): Promise<void> {
    while (this.#text !== '') {
      await ownTurn();
      const text = this.#text;
      this.#text = '';
      await this.#send(text);
    }
    this.#sent = undefined;
  }
}

const pieceLength = 16 * 1024;
