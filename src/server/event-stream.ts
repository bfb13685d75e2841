import { setImmediate as nextTurn } from 'node:timers/promises';
import { onAbort } from '../abort/abort.js';
import { perObject } from '../graph/per-object.js';
import type { RunEvent } from '../machine/event.js';

/** What an event stream shows, and who ends it. */
export interface StreamedEvents {
  readonly events: AsyncIterable<RunEvent>;
  /** Aborted when the client has gone, or the server stops; aborts the events too. */
  readonly stream: AbortController;
  /** The data of the last message, once the events have ended by themselves. */
  readonly ending: () => object;
  /** What is said to the client of an error that breaks the events off. */
  readonly problemOf: (error: unknown) => object;
  readonly heartbeatMs?: number;
}

/** Proxies close connections on which nothing comes; most wait for a minute. */
const usualHeartbeatMs = 15_000;
/** When a browser that has lost the connection tries again. */
const retryMs = 2000;
/** What waits for a client that is slow; the events behind it wait in the journal. */
const waitingBytes = 64 * 1024;

/**
 * Events as server-sent events (SEMANTICS 73): `id` is the number of the event, so that a client that lost the connection
 * gets each exactly once; `event` its type, `data` its line in the journal. A comment now and then keeps the connection; the
 * message `end` says that no more will come, and `problem` why none can. Nothing is taken from the run before the client has room for it, and a client
 * that leaves frees the events at once.
 */
export function eventStream(streamed: StreamedEvents): ReadableStream<Uint8Array> {
  const { events, stream, ending, problemOf, heartbeatMs = usualHeartbeatMs } = streamed;
  const encoder = new TextEncoder();
  let wake: () => void = () => undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  const write = (controller: ReadableStreamDefaultController<Uint8Array>, text: string): void =>
    controller.enqueue(encoder.encode(text));
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const batch = new Batch((text) => write(controller, text));
    try {
      for await (const event of events) {
        if (stream.signal.aborted) return;
        batch.add(frameOf(event));
        if (batch.isFull) batch.flush();
        while ((controller.desiredSize ?? 0) <= 0 && !stream.signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      batch.flush();
    }
  };
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, last: () => string): void => {
    clearInterval(heartbeat);
    // Who stopped the stream does not want to hear more.
    if (!stream.signal.aborted) write(controller, last());
    stream.abort();
    close(controller);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        write(controller, `retry: ${retryMs}\n\n`);
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) write(controller, ': still here\n\n');
        }, heartbeatMs).unref();
        onAbort(stream.signal, () => wake());
        pump(controller).then(
          () => finish(controller, () => message('end', ending())),
          (error: unknown) => finish(controller, () => message('problem', problemOf(error))),
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

function message(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // The client has closed it already.
  }
}

/** Frames of the same turn leave in one piece: a message each would cost a system call each. */
class Batch {
  readonly #send: (text: string) => void;
  #text = '';
  #isScheduled = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  get isFull(): boolean {
    return this.#text.length >= pieceLength;
  }

  add(frame: string): void {
    this.#text += frame;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void nextTurn().then(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.#text === '') return;
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

/** Of events that several clients are shown: a run hands the same object to all of them. */
const frameOf = perObject(
  (event: RunEvent) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
);
