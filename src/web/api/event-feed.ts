import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { abortWith, untilAborted } from '../../abort/abort.js';
import type { RunEvent } from '../../machine/event.js';
import type { Problem } from '../../server/api/problem.js';
import { ApiError, type Failure, failureOf } from './failure.js';
import { request } from './request.js';

/** State of a stream, for display. */
export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** It was cut off; the next try begins by itself. */
  | { readonly kind: 'reconnecting' }
  /** The run is over, and all events have come. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface EventListeners {
  /** Called with all events that came together; each event once, in order. */
  readonly onEvents: (events: readonly RunEvent[]) => void;
  readonly onState: (state: StreamState) => void;
}

/** Source of the events of runs. */
export interface Feed {
  /**
   * Follows the events of a run until it is over, across lost connections and restarts of the server.
   * @param after the last event that is known already
   * @returns stops following
   */
  follow(runId: string, after: number, listeners: EventListeners): () => void;
}

/** The server says something every fifteen seconds; a stream that is silent for longer than that is dead. */
const silenceMs = 45_000;
const longestPauseMs = 10_000;

interface Follower {
  readonly runId: string;
  readonly listeners: EventListeners;
  last: number;
}

/**
 * Follows any number of runs over one connection (SEMANTICS 73), since a browser opens only six to a
 * server. Each stream begins after the last known events; a new or removed follower restarts it.
 */
export class EventFeed implements Feed {
  readonly #base: string;
  readonly #followers = new Set<Follower>();
  #connection = new AbortController();

  /** @param base from where the code runs to the page, as `../` */
  constructor(base: string) {
    this.#base = base;
  }

  follow(runId: string, after: number, listeners: EventListeners): () => void {
    const follower: Follower = { runId, listeners, last: after };
    this.#followers.add(follower);
    listeners.onState({ kind: 'connecting' });
    this.#renew();
    return () => {
      if (this.#followers.delete(follower) && !this.#hasFollowers(runId)) this.#renew();
    };
  }

  #hasFollowers(runId: string): boolean {
    return [...this.#followers].some((follower) => follower.runId === runId);
  }

  /** Starts over, once for all who come and leave in the same turn. */
  #renew(): void {
    this.#connection.abort();
    const connection = new AbortController();
    this.#connection = connection;
    queueMicrotask(() => void this.#connect(connection.signal));
  }

  async #connect(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted && this.#followers.size > 0) {
      try {
        await readStream(this.#address(), signal, (messages) => {
          failures = 0;
          this.#tell(messages);
        });
      } catch (error) {
        if (signal.aborted) return;
        const failure = failureOf(error);
        if (!isPassing(failure)) return this.#leaveAll({ kind: 'failed', failure });
      }
      if (signal.aborted) return;
      for (const { listeners } of this.#followers) listeners.onState({ kind: 'reconnecting' });
      failures += 1;
      await pause(Math.min(longestPauseMs, 250 * 2 ** failures), signal);
    }
  }

  /** Each run from the earliest event that one of its followers lacks. */
  #address(): string {
    const after = new Map<string, number>();
    for (const { runId, last } of this.#followers) after.set(runId, Math.min(last, after.get(runId) ?? last));
    const runs = [...after].map(([runId, last]) => `runs=${encodeURIComponent(`${runId}@${last}`)}`);
    return `${this.#base}events?${runs.join('&')}`;
  }

  #tell(messages: readonly RunMessage[]): void {
    for (const { listeners } of this.#followers) listeners.onState({ kind: 'open' });
    for (const follower of [...this.#followers]) {
      const own = messages.filter(({ run }) => run === follower.runId);
      const events = own.flatMap((message) =>
        message.kind === 'event' && message.event.seq > follower.last ? [message.event] : [],
      );
      follower.last = events.at(-1)?.seq ?? follower.last;
      if (events.length > 0) follower.listeners.onEvents(events);
      const last = own.findLast(({ kind }) => kind !== 'event');
      if (last === undefined || last.kind === 'event') continue;
      this.#followers.delete(follower);
      follower.listeners.onState(
        last.kind === 'end' ? { kind: 'ended' } : { kind: 'failed', failure: last.failure },
      );
    }
  }

  #leaveAll(state: StreamState): void {
    const left = [...this.#followers];
    this.#followers.clear();
    for (const { listeners } of left) listeners.onState(state);
  }
}

type RunMessage = { readonly run: string } & (
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'end' }
  /** The server cannot continue, as where the journal of the run is damaged, and says why. */
  | { readonly kind: 'problem'; readonly failure: Failure }
);

function runMessage({ event: type, data }: EventSourceMessage): RunMessage {
  const body = JSON.parse(data) as MessageBody;
  const { run, http_status: status, error } = body;
  // Without a run it is the stream that cannot continue, as after a bug of the server.
  if (run === undefined) throw new ApiError({ kind: 'refused', status: 500, problem: { error } });
  if (type === 'end') return { kind: 'end', run };
  if (type !== 'problem') return { kind: 'event', run, event: body.event };
  return { kind: 'problem', run, failure: { kind: 'refused', status, problem: { error } } };
}

/** Data of a message of `GET /events`; its type decides which fields are set. */
interface MessageBody {
  readonly run: string | undefined;
  readonly event: RunEvent;
  readonly http_status: number;
  readonly error: Problem['error'];
}

async function readStream(
  address: string,
  signal: AbortSignal,
  onMessages: (messages: readonly RunMessage[]) => void,
): Promise<void> {
  const silence = new AbortController();
  const release = abortWith(silence, signal);
  const isDead = (): void => silence.abort();
  let timer = setTimeout(isDead, silenceMs);
  try {
    const response = await request(address, {
      headers: { Accept: 'text/event-stream' },
      signal: silence.signal,
    });
    onMessages([]);
    let messages: RunMessage[] = [];
    // Not the browser's EventSource, which hides why a stream was refused and cannot begin after an event that is known already.
    const parser = createParser({ onEvent: (message) => messages.push(runMessage(message)) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done || signal.aborted) return;
      clearTimeout(timer);
      timer = setTimeout(isDead, silenceMs);
      messages = [];
      parser.feed(piece.value);
      if (messages.length > 0) onMessages(messages);
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
    // Silent, or cut off in the middle: what the browser throws then differs.
    throw new ApiError({ kind: 'lost' });
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** True if the next try may succeed. */
function isPassing(failure: Failure): boolean {
  return (
    failure.kind === 'lost' || failure.kind === 'strange' || failure.status === 429 || failure.status >= 500
  );
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return untilAborted(passed, signal).finally(() => clearTimeout(timer));
}
