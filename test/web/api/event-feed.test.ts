import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { EventFeed, type StreamState } from '../../../src/web/api/event-feed.js';
import { serverState } from '../../../src/web/api/request.js';
import { fc } from '../../support/fast-check.js';

// SEMANTICS 73: one stream of several runs, each from its own position, as the page uses it.

const all = Array.from({ length: 20 }, (_, index) => index + 1);
const encoder = new TextEncoder();

/** What the server says of runs (`ID@SEQ`), each from its position on, and that they are over. */
function told(runs: readonly string[]): string {
  const frames = runs.map((text) => {
    const [run, last] = text.split('@');
    const frame = (seq: number) =>
      `event: StageStarted\ndata: ${JSON.stringify({ run, event: { seq } })}\n\n`;
    const lacked = all.filter((seq) => seq > Number(last));
    return `${lacked.map(frame).join('')}event: end\ndata: ${JSON.stringify({ run })}\n\n`;
  });
  return `retry: 2000\n\n${frames.join('')}`;
}

const runsIn = (path: string): string[] => new URL(path, 'http://page').searchParams.getAll('runs');

/** Answers one connection: with a status, or with so many bytes of the stream before it is cut off; null: all of it. */
type Connection =
  | { readonly status: number }
  | { readonly bytes: number | null; readonly lengths?: readonly number[] }
  | { readonly refuses: true };

/** A server that answers as listed, and then as it should. */
function server(connections: readonly Connection[]): { readonly asked: string[][] } {
  const asked: string[][] = [];
  const rest = [...connections];
  vi.stubGlobal('fetch', async (path: string) => {
    const runs = runsIn(path);
    asked.push(runs);
    const next = rest.shift() ?? { bytes: null };
    if ('refuses' in next) throw new TypeError('Failed to fetch');
    if ('status' in next) {
      return Response.json({ error: { code: 'x', message: 'not there' } }, { status: next.status });
    }
    const bytes = encoder.encode(told(runs));
    return new Response(
      streamOf(
        next.bytes === null ? bytes : bytes.subarray(0, next.bytes),
        next.bytes !== null,
        next.lengths,
      ),
    );
  });
  return { asked };
}

/** @param lengths of the pieces before the last one */
function streamOf(
  bytes: Uint8Array,
  isCut: boolean,
  lengths: readonly number[] = [],
): ReadableStream<Uint8Array> {
  const ends = lengths.map((_, index) => lengths.slice(0, index + 1).reduce((sum, one) => sum + one, 0));
  const pieces = [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      return isCut ? controller.error(new TypeError('network error')) : controller.close();
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
  new EventFeed('').follow('a run', after, listeners);
  const isOver = (): boolean => states.some(({ kind }) => kind === 'ended' || kind === 'failed');
  // Not until no timer is left: streams take turns that no clock counts, and other files of this worker may have timers too.
  while (!isOver()) await vi.advanceTimersToNextTimerAsync();
  return { seqs, states: [...new Set(states.map(({ kind }) => kind))] };
}

describe('following the events of a run', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('gets every event, and knows the end', async () => {
    server([]);
    expect(await follow()).toEqual({ seqs: all, states: ['connecting', 'open', 'ended'] });
  });

  it('begins after what is known', async () => {
    const { asked } = server([]);
    expect((await follow(18)).seqs).toEqual([19, 20]);
    expect(asked).toEqual([['a run@18']]);
  });

  it('gets every event exactly once and in order, in whatever pieces they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(60)), async (lengths) => {
        server([{ bytes: null, lengths }]);
        expect((await follow()).seqs).toEqual(all);
      }),
      { numRuns: 60 },
    );
  });

  it('gets every event exactly once and in order, wherever connections break', async () => {
    const connection = fc.oneof(
      fc.record({ bytes: fc.integer({ min: 0, max: 1600 }) }),
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

  it('stops where the server cannot continue telling', async () => {
    const error = { code: 'conflict', message: 'the journal is damaged' };
    const problem = JSON.stringify({ run: 'a run', http_status: 409, error });
    vi.stubGlobal('fetch', async () => new Response(`event: problem\ndata: ${problem}\n\n`));
    expect((await follow()).states).toEqual(['connecting', 'open', 'failed']);
  });

  it('takes a stream for dead that is silent for longer than a heartbeat', async () => {
    let connections = 0;
    vi.stubGlobal('fetch', async (path: string, { signal }: RequestInit) => {
      connections += 1;
      if (connections > 1) return new Response(told(runsIn(path)));
      return new Response(
        new ReadableStream({
          start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
        }),
      );
    });
    expect((await follow()).seqs).toEqual(all);
    expect(connections).toBe(2);
  });

  it('has one connection for all runs, again for who comes, leaves or lacks earlier events', async () => {
    const open: { readonly runs: readonly string[]; isClosed: boolean; say(text: string): Promise<void> }[] =
      [];
    vi.stubGlobal('fetch', async (path: string, { signal }: RequestInit) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const connection = {
        runs: runsIn(path),
        isClosed: false,
        say: (text: string) => writer.write(encoder.encode(text)),
      };
      open.push(connection);
      signal?.addEventListener('abort', () => {
        connection.isClosed = true;
        void writer.abort(signal.reason).catch(() => undefined);
      });
      return new Response(readable);
    });
    const feed = new EventFeed('');
    const seen: string[] = [];
    const follow = (name: string, run: string, after: number) =>
      feed.follow(run, after, {
        onEvents: (events) => seen.push(...events.map(({ seq }) => `${name} ${seq}`)),
        onState: () => undefined,
      });
    const until = async (isThere: () => boolean): Promise<void> => {
      while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
    };
    const event = (run: string, seq: number) =>
      `event: E\ndata: ${JSON.stringify({ run, event: { seq } })}\n\n`;
    follow('one', 'a', 0);
    const leave = follow('two', 'b', 7);
    await until(() => open.length === 1);
    void open[0]?.say(event('a', 1) + event('b', 8) + event('a', 2));
    await until(() => seen.length === 3);
    follow('three', 'a', 1);
    await until(() => open.length === 2);
    void open[1]?.say(event('a', 2) + event('a', 3));
    await until(() => seen.length === 6);
    leave();
    await until(() => open.length === 3);
    expect(open.map(({ runs }) => runs)).toEqual([['a@0', 'b@7'], ['a@1', 'b@8'], ['a@3']]);
    expect(open.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
    expect(seen).toEqual(['one 1', 'one 2', 'two 8', 'one 3', 'three 2', 'three 3']);
  });
});
