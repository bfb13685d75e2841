import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { readEvents, type StreamState } from '../../../src/web/api/read-events.js';
import { serverState } from '../../../src/web/api/request.js';
import { fc } from '../../support/fast-check.js';

// SEMANTICS 73: SSE with ids and Last-Event-ID replay, as the page uses it.

const total = 20;
const encoder = new TextEncoder();

/** What the server says of a run, from an event on. */
function told(from: number): string {
  const numbers = Array.from({ length: total }, (_, index) => index + 1).filter((seq) => seq >= from);
  const frames = numbers.map((seq) => `id: ${seq}\nevent: StageStarted\ndata: {"seq":${seq}}\n\n`);
  return `retry: 2000\n\n${frames.join('')}event: end\ndata: {}\n\n`;
}

/** Answers one connection: with a status, or with so many bytes of the stream before it is cut off; null: all of it. */
type Connection =
  | { readonly status: number }
  | { readonly bytes: number | null }
  | { readonly refuses: true };

/** A server that answers as listed, and then as it should. */
function server(connections: readonly Connection[]): { readonly asked: (string | null)[] } {
  const asked: (string | null)[] = [];
  const rest = [...connections];
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    const last = new Headers(init.headers).get('Last-Event-ID');
    asked.push(last);
    const next = rest.shift() ?? { bytes: null };
    if ('refuses' in next) throw new TypeError('Failed to fetch');
    if ('status' in next) {
      return Response.json({ error: { code: 'x', message: 'not there' } }, { status: next.status });
    }
    const bytes = encoder.encode(told(Number(last ?? 0) + 1));
    return new Response(
      streamOf(next.bytes === null ? bytes : bytes.subarray(0, next.bytes), next.bytes !== null),
    );
  });
  return { asked };
}

function streamOf(bytes: Uint8Array, isCut: boolean): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return isCut ? controller.error(new TypeError('network error')) : controller.close();
      isSent = true;
      controller.enqueue(bytes);
    },
  });
}

async function follow(after = 0): Promise<{ readonly seqs: number[]; readonly states: string[] }> {
  const seqs: number[] = [];
  const states: StreamState[] = [];
  const listeners = {
    onEvents: (events: readonly RunEvent[]) => seqs.push(...events.map(({ seq }) => seq)),
    onState: (state: StreamState) => states.push(state),
  };
  const reading = readEvents('a run', after, listeners, new AbortController().signal);
  let isOver = false;
  void reading.finally(() => {
    isOver = true;
  });
  // Not until no timer is left: streams take turns that no clock counts, and other files of this worker may have timers too.
  while (!isOver) await vi.advanceTimersToNextTimerAsync();
  await reading;
  return { seqs, states: [...new Set(states.map(({ kind }) => kind))] };
}

const all = Array.from({ length: total }, (_, index) => index + 1);

describe('following the events of a run', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('gets every event, and knows the end', async () => {
    server([]);
    expect(await follow()).toEqual({ seqs: all, states: ['connecting', 'open', 'ended'] });
  });

  it('begins behind what is known', async () => {
    const { asked } = server([]);
    expect((await follow(18)).seqs).toEqual([19, 20]);
    expect(asked).toEqual(['18']);
  });

  it('gets every event exactly once and in order, wherever connections break', async () => {
    const connection = fc.oneof(
      fc.record({ bytes: fc.integer({ min: 0, max: 1400 }) }),
      fc.constant<Connection>({ refuses: true }),
      fc.constantFrom<Connection>({ status: 503 }, { status: 429 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(connection, { maxLength: 6 }), async (connections) => {
        server(connections);
        const { seqs, states } = await follow();
        expect(seqs).toEqual(all);
        expect(states.at(-1)).toBe('ended');
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [401, 'locked'],
    [404, 'there'],
  ])('stops at %d, and says why', async (status, state) => {
    const { asked } = server([{ status }]);
    expect(await follow()).toEqual({ seqs: [], states: ['connecting', 'failed'] });
    expect(asked).toHaveLength(1);
    expect(serverState.value).toBe(state);
  });

  it('stops where the server cannot go on telling', async () => {
    const problem = JSON.stringify({ error: { code: 'conflict', message: 'the journal is damaged' } });
    vi.stubGlobal('fetch', async () => new Response(`event: problem\ndata: ${problem}\n\n`));
    expect((await follow()).states).toEqual(['connecting', 'open', 'failed']);
  });

  it('takes a stream for dead that is silent for longer than a heartbeat', async () => {
    let connections = 0;
    vi.stubGlobal('fetch', async (_path: string, { signal }: RequestInit) => {
      connections += 1;
      if (connections > 1) return new Response(told(1));
      return new Response(
        new ReadableStream({
          start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
        }),
      );
    });
    expect((await follow()).seqs).toEqual(all);
    expect(connections).toBe(2);
  });
});
