import { onAbort } from '../abort/abort.js';
import { ownTurn } from '../journal/own-turn.js';

/** Messages of an event stream, and who ends it. */
export interface StreamedEvents<Item> {
  readonly items: AsyncIterable<Item>;
  /** The message of an item, as server-sent events write it. */
  readonly frameOf: (item: Item) => string;
  /** Aborted when the client has gone, or the server stops; aborts the events too. */
  readonly stream: AbortController;
  /** Whether the client may still be sent anything; asked before each piece and each comment. */
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
/** Bytes that wait for a slow client; later events wait in the journal. */
const waitingBytes = 64 * 1024;

/**
 * Stream of items as server-sent events (SEMANTICS 73). Regular comments keep the connection; the message
 * `end` means that no more will come, and `problem` gives the reason why none can. Nothing is taken from
 * the run before the client has room for it, and a client that leaves frees the events at once.
 */
export function eventStream<Item>(streamed: StreamedEvents<Item>): ReadableStream<Uint8Array> {
  const { items, frameOf, stream, isAllowed, ending, problemOf, heartbeatMs = usualHeartbeatMs } = streamed;
  const encoder = new TextEncoder();
  let wake: () => void = () => undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  const write = (controller: ReadableStreamDefaultController<Uint8Array>, text: string): void => {
    if (isAllowed()) controller.enqueue(encoder.encode(text));
    else stream.abort();
  };
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const batch = new Batch((text) => write(controller, text));
    try {
      for await (const item of items) {
        if (stream.signal.aborted) return;
        batch.add(frameOf(item));
        if (batch.isFull) await batch.flushed;
        while ((controller.desiredSize ?? 0) <= 0 && !stream.signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      await batch.flushed;
    }
  };
  const finish = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    last: () => string | undefined,
  ): void => {
    clearInterval(heartbeat);
    // Who stopped the stream does not want to hear more.
    const text = stream.signal.aborted ? undefined : last();
    if (text !== undefined) write(controller, text);
    stream.abort();
    close(controller);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        write(controller, `retry: ${retryMs}\n\n`);
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0 || !isAllowed()) write(controller, ': still here\n\n');
        }, heartbeatMs).unref();
        onAbort(stream.signal, () => wake());
        pump(controller).then(
          () => finish(controller, () => endMessage(ending())),
          (error: unknown) => finish(controller, () => messageFrame('problem', problemOf(error))),
        );
      },
      pull: () => wake(),
      cancel() {
        clearInterval(heartbeat);
        stream.abort();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: waitingBytes }),
  );
}

/** A message as server-sent events write it. */
export function messageFrame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function endMessage(data: object | undefined): string | undefined {
  return data && messageFrame('end', data);
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // The client has closed it already.
  }
}

/** Frames that leave in one piece, in a turn of the event loop that they share with no other stream. */
class Batch {
  readonly #send: (text: string) => void;
  #text = '';
  #flushed: Promise<void> | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  get isFull(): boolean {
    return this.#text.length >= pieceLength;
  }

  /** Resolves when what was added has been sent. */
  get flushed(): Promise<void> | undefined {
    return this.#flushed;
  }

  add(frame: string): void {
    this.#text += frame;
    this.#flushed ??= ownTurn().then(() => {
      this.#flushed = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const text = this.#text;
    this.#text = '';
    try {
      this.#send(text);
    } catch {
      // The client has gone, and the events are about to end.
    }
  }
}

const pieceLength = 16 * 1024;
