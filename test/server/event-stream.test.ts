import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { eventStream, messageFrame, type StreamedEvents } from '../../src/server/event-stream.js';
import { followRuns } from '../../src/server/runs/follow-runs.js';
import { askedServer, askingPipeline, eventually, shortPipeline } from './asked-server.js';

interface Message {
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

/** What an event source makes of a stream. */
function messagesOf(text: string): readonly Message[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]));
    const data = fields.get('data');
    if (data === undefined) return [];
    const id = fields.get('id');
    return [
      {
        ...(id !== undefined && { id: Number(id.slice(4)) }),
        event: fields.get('event')?.slice(7) ?? '',
        data: JSON.parse(data.slice(6)),
      },
    ];
  });
}

function eventAt(seq: number, size = 10): RunEvent {
  const header = { seq, timestamp: '2026-01-01T00:00:00.000Z', run_id: 'r', description: 'd' };
  return { ...header, type: 'LogAppended', level: 'info', message: 'x'.repeat(size) } as RunEvent;
}

async function streamOf(items: AsyncIterable<RunEvent>, others: Partial<StreamedEvents<RunEvent>> = {}) {
  const stream = new AbortController();
  const app = new Hono();
  app.get('/', (context) =>
    eventStream(context, {
      items,
      frameOf: (event) => `id: ${event.seq}\n${messageFrame(event.type, event)}`,
      stream,
      isAllowed: () => true,
      ending: () => ({ status: 'success' }),
      problemOf: (error) => ({ message: String(error) }),
      ...others,
    }),
  );
  const { body } = (await app.request('/')) as { readonly body: ReadableStream<Uint8Array> };
  return { stream, body, text: () => new Response(body).text() };
}

async function* eventsUpTo(count: number): AsyncGenerator<RunEvent> {
  for (let seq = 1; seq <= count; seq += 1) yield eventAt(seq);
}

describe('73: an event stream', () => {
  it('gives every event once and in order, and says when no more will come', async () => {
    const messages = messagesOf(await (await streamOf(eventsUpTo(5000))).text());
    expect(messages.map(({ id }) => id)).toEqual([
      ...Array.from({ length: 5000 }, (_, n) => n + 1),
      undefined,
    ]);
    expect(messages[0]).toEqual({ id: 1, event: 'LogAppended', data: eventAt(1) });
    expect(messages.at(-1)).toEqual({ event: 'end', data: { status: 'success' } });
  });

  it('says what broke the events off', async () => {
    const broken = (async function* () {
      yield eventAt(1);
      throw new Error('the disk is gone');
    })();
    const messages = messagesOf(await (await streamOf(broken)).text());
    expect(messages.map(({ event }) => event)).toEqual(['LogAppended', 'problem']);
    expect(messages[1]?.data).toEqual({ message: 'Error: the disk is gone' });
  });

  it('takes no more from the run than a slow client has room for', async () => {
    let taken = 0;
    const endless = (async function* () {
      for (;;) {
        taken += 1;
        yield eventAt(taken, 1000);
      }
    })();
    const { body, stream } = await streamOf(endless);
    const reader = body.getReader();
    await reader.read();
    await settled(() => taken);
    const before = taken;
    expect(before).toBeLessThan(150);
    for (let count = 0; count < 20; count += 1) await reader.read();
    await settled(() => taken);
    expect(taken).toBeGreaterThan(before);
    expect(taken).toBeLessThan(before + 500);
    await reader.cancel();
    expect(stream.signal.aborted).toBe(true);
  });

  it('keeps a connection on which nothing comes', async () => {
    const { stream, body } = await streamOf(untilAborted(), { heartbeatMs: 5 });
    const reader = body.getReader();
    const seen: string[] = [];
    while (seen.filter((text) => text.startsWith(':')).length < 2) {
      seen.push(new TextDecoder().decode((await reader.read()).value));
    }
    expect(seen[0]).toBe('retry: 2000\n\n');
    stream.abort();
    await reader.cancel();
  });

  it('is ended without a last message when the server stops, so that clients come again', async () => {
    const stream = new AbortController();
    const { body } = await streamOf(untilAborted(stream.signal), { stream });
    const text = new Response(body).text();
    stream.abort();
    expect(await text).toBe('retry: 2000\n\n');
  });
});

describe('GET /pipelines/{id}/events (§9.5)', () => {
  it('73: continues after Last-Event-ID, which counts before the address', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    const all = messagesOf(await (await server.ask(`/pipelines/${id}/events`)).text());
    const numbers = all.flatMap(({ id: seq }) => seq ?? []);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n + 1));
    expect(all.at(-1)).toEqual({ event: 'end', data: { id, status: 'success', seq: numbers.length } });
    for (const [path, header, first] of [
      ['', '4', 5],
      ['?from=3', undefined, 3],
      ['?from=3', '6', 7],
    ] as const) {
      const headers: Readonly<Record<string, string>> =
        header === undefined ? {} : { 'last-event-id': header };
      const rest = messagesOf(await (await server.ask(`/pipelines/${id}/events${path}`, { headers })).text());
      expect(rest).toEqual(all.slice(first - 1));
    }
  });

  it('ends at once after the last event', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    const { seq } = await server.until(id, 'success');
    const headers = { 'last-event-id': String(seq) };
    const text = await (await server.ask(`/pipelines/${id}/events`, { headers })).text();
    expect(messagesOf(text).map(({ event }) => event)).toEqual(['end']);
  });

  it.each([
    ['?from=x', {}],
    ['?from=-1', {}],
    ['', { 'last-event-id': 'abc' }],
  ])('refuses %s %o', async (query, headers) => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    expect((await server.ask(`/pipelines/${id}/events${query}`, { headers })).status).toBe(400);
  });

  it('opens no stream for HEAD, and none for a run that there is not', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    expect((await server.ask(`/pipelines/${id}/events`, { method: 'HEAD' })).status).toBe(200);
    expect((await server.ask('/pipelines/none/events')).status).toBe(404);
    expect(server.parts.streams.size).toBe(0);
  });

  it('leaves nothing behind of 300 clients that have gone', async () => {
    const server = await askedServer();
    const id = await server.run(askingPipeline);
    await server.untilAsked(id);
    const readers = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const { body } = await server.ask(`/pipelines/${id}/events`);
        const reader = body?.getReader();
        await reader?.read();
        return reader;
      }),
    );
    expect(server.parts.streams.size).toBe(300);
    await Promise.all(readers.map((reader) => reader?.cancel()));
    await eventually(() => (server.parts.streams.size === 0 ? true : undefined));
    expect(await server.parts.metrics.text()).toMatch(/^attractor_open_streams\S* 0$|streams\S* 0$/m);
  });
});

describe('GET /events (§9.5)', () => {
  it('73: follows several runs over one connection, each from where the client is', async () => {
    const server = await askedServer();
    const [first, second] = [await server.run(shortPipeline), await server.run(shortPipeline)];
    const asking = await server.run(askingPipeline);
    await server.untilAsked(asking);
    const { seq } = await server.until(second, 'success');
    await server.until(first, 'success');
    const { body } = await server.ask(
      `/events?runs=${asking}&runs=${first}&runs=none&runs=${second}@${seq - 1}`,
    );
    const messages = await read(body, (all) => {
      const kinds = all.map(({ event }) => event);
      const over = kinds.filter((kind) => kind === 'end' || kind === 'problem');
      return over.length === 3 && kinds.includes('InterviewStarted');
    });
    const of = (run: string) =>
      messages.filter(({ data }) => isOf(run, data)).map(({ event, data }) => [event, data]);
    const alone = async (run: string) =>
      messagesOf(await (await server.ask(`/pipelines/${run}/events`)).text()).filter(
        ({ id }) => id !== undefined,
      );
    const told = (run: string, all: readonly Message[]) =>
      all.map(({ event, data }) => [event, { run, event: data }]);
    expect(of(first).slice(0, -1)).toEqual(told(first, await alone(first)));
    expect(of(first).at(-1)).toEqual(['end', { run: first, status: 'success', seq }]);
    expect(of(second).slice(0, -1)).toEqual(told(second, (await alone(second)).slice(-1)));
    expect(of('none')).toEqual([
      ['problem', { run: 'none', http_status: 404, error: expect.objectContaining({ code: 'not_found' }) }],
    ]);
    expect(of(asking).at(-1)?.[0]).toBe('InterviewStarted');
    await eventually(() => (server.parts.streams.size === 0 ? true : undefined));
  });

  it('ends with the last run', async () => {
    const server = await askedServer();
    const id = await server.run(shortPipeline);
    const text = await (await server.ask(`/events?runs=${id}`)).text();
    expect(messagesOf(text).at(-1)).toMatchObject({ event: 'end', data: { run: id, status: 'success' } });
  });

  it('lets a run with much to tell not hold up the others', async () => {
    const endless = async function* (): AsyncGenerator<RunEvent> {
      for (let seq = 1; ; seq += 1) yield eventAt(seq);
    };
    const registry = { fetch: () => undefined, events: endless, directory: () => '', detailText: () => '{}' };
    const runs = ['a', 'b', 'c'].map((run) => ({ run, after: 0 }));
    const seen: string[] = [];
    for await (const { run } of followRuns(registry, runs, new AbortController().signal)) {
      seen.push(run);
      if (seen.length === 30) break;
    }
    for (const { run } of runs) expect(seen.filter((one) => one === run)).toHaveLength(10);
  });

  it.each([
    ['without a run', ''],
    ['a run twice', '?runs=a&runs=a@3'],
    ['a run without a name', '?runs='],
    ['more runs than an address holds', `?${Array.from({ length: 101 }, (_, n) => `runs=r${n}`).join('&')}`],
    ['what it does not know', '?run=a'],
  ])('refuses %s', async (_what, query) => {
    const server = await askedServer();
    expect((await server.ask(`/events${query}`)).status).toBe(400);
    expect(server.parts.streams.size).toBe(0);
  });
});

const isOf = (run: string, data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'run' in data && data.run === run;

/** Reads messages until there are enough, and leaves. */
async function read(
  body: ReadableStream<Uint8Array> | null,
  isEnough: (messages: readonly Message[]) => boolean,
): Promise<readonly Message[]> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (isEnough(messagesOf(text.slice(0, text.lastIndexOf('\n\n') + 2)))) break;
  }
  return messagesOf(text);
}

/** Nothing happens until it is told to stop. */
async function* untilAborted(signal?: AbortSignal): AsyncGenerator<RunEvent> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits until a number has not changed for several turns. */
async function settled(value: () => number): Promise<void> {
  for (let same = 0, last = value(); same < 20; ) {
    await new Promise((resolve) => setImmediate(resolve));
    same = value() === last ? same + 1 : 0;
    last = value();
  }
}
