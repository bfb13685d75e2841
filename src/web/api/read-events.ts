import { abortWith, untilAborted } from '../../abort/abort.js';
import type { RunEvent } from '../../machine/event.js';
import type { Problem } from '../../server/api/problem.js';
import { type Failure, failureOf, RequestError } from './failure.js';
import { part, request } from './request.js';
import { type SseMessage, sseParser } from './sse-parser.js';

/** How a stream is doing, for who looks at what it tells. */
export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** It was cut off; the next try begins by itself. */
  | { readonly kind: 'reconnecting' }
  /** The run is over, and everything has been told. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface EventListeners {
  /** As many as came together; each event once, in order. */
  readonly onEvents: (events: readonly RunEvent[]) => void;
  readonly onState: (state: StreamState) => void;
}

/** The server says something every fifteen seconds; a stream that is silent for longer than that is dead. */
const silenceMs = 45_000;
const longestPauseMs = 10_000;

/**
 * Follows the events of a run (SEMANTICS 73) until it is over or the signal aborts, across lost connections and restarts
 * of the server: each stream begins behind the last event that came.
 * @param after the last event that is known already
 */
export async function readEvents(
  runId: string,
  after: number,
  { onEvents, onState }: EventListeners,
  signal: AbortSignal,
): Promise<void> {
  let last = after;
  let failures = 0;
  onState({ kind: 'connecting' });
  while (!signal.aborted) {
    try {
      const isOver = await readStream(runId, last, signal, (messages) => {
        const events = messages.filter(({ seq }) => seq > last);
        last = events.at(-1)?.seq ?? last;
        failures = 0;
        onState({ kind: 'open' });
        if (events.length > 0) onEvents(events);
      });
      if (isOver) return onState({ kind: 'ended' });
    } catch (error) {
      if (signal.aborted) return;
      const failure = failureOf(error);
      if (!isPassing(failure)) return onState({ kind: 'failed', failure });
    }
    if (signal.aborted) return;
    onState({ kind: 'reconnecting' });
    failures += 1;
    await pause(Math.min(longestPauseMs, 250 * 2 ** failures), signal);
  }
}

const eventStream = { Accept: 'text/event-stream' };

/** @returns whether the server said that nothing more comes */
async function readStream(
  runId: string,
  last: number,
  signal: AbortSignal,
  onEvents: (events: readonly RunEvent[]) => void,
): Promise<boolean> {
  const silence = new AbortController();
  const release = abortWith(silence, signal);
  const isDead = (): void => silence.abort();
  let timer = setTimeout(isDead, silenceMs);
  try {
    const response = await request(`pipelines/${part(runId)}/events`, {
      headers: last > 0 ? { ...eventStream, 'Last-Event-ID': String(last) } : eventStream,
      signal: silence.signal,
    });
    onEvents([]);
    const parse = sseParser();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) return false;
      clearTimeout(timer);
      timer = setTimeout(isDead, silenceMs);
      const messages = parse(piece.value);
      const broken = messages.find(({ event }) => event === 'problem');
      const isOver = messages.some(({ event }) => event === 'end');
      const told = messages.filter(({ event }) => event !== 'end' && event !== 'problem');
      if (told.length > 0) onEvents(told.map(({ data }) => JSON.parse(data) as RunEvent));
      if (isOver) return true;
      if (broken !== undefined) throw new RequestError(refusal(response, broken));
    }
  } catch (error) {
    if (signal.aborted || error instanceof RequestError) throw error;
    // Silent, or cut off in the middle: what the browser throws then differs.
    throw new RequestError({ kind: 'lost' });
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** The server has to stop in the middle, as where the journal of the run is damaged, and says why. */
function refusal({ status }: Response, { data }: SseMessage): Failure {
  return { kind: 'refused', status, problem: JSON.parse(data) as Problem };
}

/** Whether the next try may go better. */
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
