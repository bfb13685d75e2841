import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linkOf } from '../../../src/run-directory/hashed-line.js';
import { journalText } from '../../support/journal-of.js';
import { waitFor } from '../../support/wait-for.js';
import { type Running, startAttractor, temporaryDirectory } from './attractor.js';

/** The most megabytes that a server with two hundred runs and streams may have had: about 180 were measured. */
const mostMegabytes = 300;

test('§9.5 two hundred runs at once, each with a stream open: all end, and every stream has every event once, in order', async () => {
  const server = await serve(temporaryDirectory(), ['--max-runs', '200']);
  const runs = await submitAll(
    server,
    Array.from({ length: 200 }, () => gated),
  );
  const streams = runs.map((id) => follow(server, id));
  // All of them are under way at the same time: none continues before every one has asked.
  await waitFor('all questions', () => streams.every(({ types }) => types.includes('InterviewStarted')));
  expect(await metric(server, 'attractor_event_streams')).toBe(200);
  expect(await metric(server, 'attractor_runs{status="running"}')).toBe(200);
  await inPieces(runs, (id) => answer(server, id));
  await Promise.all(streams.map(({ over }) => over));
  for (const [index, id] of runs.entries()) expectWhole(server, id, streams[index]);
  expect(new Set(streams.map(({ types }) => types.at(-1)))).toEqual(new Set(['PipelineCompleted']));
  await waitUntil(
    'streams to be let go',
    async () => (await metric(server, 'attractor_event_streams')) === 0,
  );
  const peak = peakMegabytes(server.running.pid);
  if (peak !== undefined) expect(peak).toBeLessThan(mostMegabytes);
}, 300_000);

test('§9.5 73: a server that is killed in the middle continues when it is started again: all runs end, the queued ones too, and streams continue after Last-Event-ID', async () => {
  const directory = temporaryDirectory();
  const args = ['--max-runs', '20', '--allow-tools'];
  const first = await serve(directory, args);
  const before: Stream[] = [];
  const runs: string[] = [];
  const begin = async (count: number, dot: string): Promise<readonly Stream[]> => {
    const ids = await submitAll(
      first,
      Array.from({ length: count }, () => dot),
    );
    runs.push(...ids);
    const streams = ids.map((id) => follow(first, id));
    before.push(...streams);
    return streams;
  };
  const asking = await begin(10, gated);
  await waitFor('the questions', () => asking.every(({ types }) => types.includes('InterviewStarted')));
  const quick = await begin(30, long);
  await waitFor('some to end', () => quick.filter(hasEnded).length >= 5);
  const holding = await begin(20, held);
  const isHeld = ({ lines }: Stream): boolean =>
    lines.some((line) => line.includes('"StageStarted"') && line.includes('"node_id":"hold"'));
  await waitFor('all places to be taken', () => holding.filter(isHeld).length >= 10);
  await begin(40, long);
  first.running.kill('SIGKILL');
  await first.running.finished;
  await Promise.all(before.map(({ over }) => over));
  const cutOff = runs.filter((id) => !journalText(directoryOf(first, id)).includes('"PipelineCompleted"'));
  const queued = cutOff.filter((id) => existsSync(path.join(directoryOf(first, id), 'queued.json')));
  expect(cutOff.length).toBeGreaterThanOrEqual(70);
  expect(queued.length).toBeGreaterThanOrEqual(40);
  writeFileSync(path.join(directory, 'go'), '');

  const second = await serve(directory, args);
  const after = runs.map((id, index) => follow(second, id, before[index]));
  await inPieces(runs.slice(0, 10), async (id) => {
    await waitUntil(`${id} to ask again`, async () => (await questionsOf(second, id)).length === 1);
    await answer(second, id);
  });
  await Promise.all(after.map(({ over }) => over));
  for (const [index, id] of runs.entries()) {
    expectWhole(second, id, after[index]);
    expect(after[index]?.types.at(-1), id).toBe('PipelineCompleted');
  }
}, 300_000);

/** Stages one after the other, the names with this letter. */
function chain(letter: string, length: number): string {
  const names = Array.from({ length }, (_, index) => `${letter}${index}`);
  return `${names.map((name) => `${name} [prompt="work"]`).join(' ')} ${names.join(' -> ')}`;
}

/** Asks in its middle whether it may continue. */
const gated = `digraph Gated {
  start [shape=Mdiamond] done [shape=Msquare] gate [shape=hexagon]
  ${chain('a', 3)}
  ${chain('b', 3)}
  start -> a0  a2 -> gate  gate -> b0 [label="[G] Go on"]  gate -> a0 [label="[B] Back"]  b2 -> done
}`;

/** Has many stages, and nobody to wait for. */
const long = `digraph Long {
  start [shape=Mdiamond] done [shape=Msquare]
  ${chain('a', 30)}
  start -> a0  a29 -> done
}`;

/** Takes a place until there is a file. */
const held = `digraph Held {
  start [shape=Mdiamond] done [shape=Msquare]
  hold [shape=parallelogram, tool_command="until [ -e go ]; do sleep 0.1; done"]
  start -> hold -> done
}`;

interface Served {
  readonly running: Running;
  readonly url: string;
  readonly directory: string;
  readonly isGone: () => boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Starts a server that is gone when the test that asked for it has ended. */
async function serve(directory: string, args: readonly string[]): Promise<Served> {
  const running = startAttractor(
    [
      ...['serve', '--port', '0', '--token-file', 'token', '--no-config', '--rate', '100000'],
      ...['--backend', 'simulate', '--log-format', 'json', ...args],
    ],
    { cwd: directory, env: { HOME: directory, XDG_CONFIG_HOME: undefined } },
  );
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.finished;
  });
  let isGone = false;
  void running.finished.then(() => {
    isGone = true;
  });
  const link = /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/m;
  await running.until('the link', () => link.test(running.output()));
  const { origin, searchParams } = new URL(link.exec(running.output())?.[0] ?? '');
  return {
    ...{ running, directory, url: origin, isGone: () => isGone },
    headers: { authorization: `Bearer ${searchParams.get('token')}` },
  };
}

function directoryOf({ directory }: Served, id: string): string {
  return path.join(directory, '.attractor/runs', id);
}

/** @returns their ids, in the order of the pipelines */
async function submitAll(server: Served, pipelines: readonly string[]): Promise<readonly string[]> {
  return inPieces(pipelines, async (dot) => {
    const { id } = await asked(server, '/pipelines', { dot });
    expect(id).toBeTypeOf('string');
    return id as string;
  });
}

async function answer(server: Served, id: string): Promise<void> {
  const { value } = await asked(server, `/pipelines/${id}/questions/gate/answer`, { answer: 'G' });
  expect(value).toBe('G');
}

async function questionsOf(server: Served, id: string): Promise<readonly unknown[]> {
  return (await asked(server, `/pipelines/${id}/questions`)).questions as readonly unknown[];
}

async function asked(
  { url, headers }: Served,
  at: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const posted = body && {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const reply = await fetch(`${url}${at}`, posted ?? { headers });
  const text = await reply.text();
  expect(reply.ok, `${at}: ${reply.status} ${text}`).toBe(true);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

async function metric({ url, headers }: Served, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

/** A few at a time. */
async function inPieces<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 10)
    results.push(...(await Promise.all(items.slice(start, start + 10).map(work))));
  return results;
}

async function waitUntil(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await condition()); turn += 1) {
    if (turn > 4000) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What a client has of a stream, over all of its connections. */
interface Stream {
  readonly types: string[];
  /** The data of every event, as it came. */
  readonly lines: string[];
  readonly ids: number[];
  /** The last message: why no more comes. */
  readonly endings: string[];
  /** Resolves when the server has said that no more comes, or the connection is lost. */
  readonly over: Promise<void>;
}

/** @param before what the client has already, of a connection that it has lost */
function follow({ url, headers, isGone }: Served, id: string, before?: Stream): Stream {
  const [types, lines, ids] = [
    [...(before?.types ?? [])],
    [...(before?.lines ?? [])],
    [...(before?.ids ?? [])],
  ];
  const read = async (): Promise<void> => {
    const last = ids.at(-1);
    const more: Readonly<Record<string, string>> =
      last === undefined ? {} : { 'last-event-id': String(last) };
    const { body, status } = await fetch(`${url}/pipelines/${id}/events`, {
      headers: { ...headers, ...more },
    });
    expect(status).toBe(200);
    let text = '';
    for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const messages = (text + piece).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const found = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(message);
        if (message.startsWith('event: ')) endings.push(message);
        if (found === null) continue;
        const [, seq, type = '', data = ''] = found;
        ids.push(Number(seq));
        types.push(type);
        lines.push(data);
      }
    }
  };
  const endings: string[] = [];
  // Whoever has lost the connection comes again, as clients do, unless the server is gone.
  const readOn = async (): Promise<void> => {
    for (let turn = 0; turn < 100 && endings.length === 0 && !isGone(); turn += 1) {
      await read().catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
    }
  };
  return { types, lines, ids, endings, over: readOn() };
}

function hasEnded({ types }: Stream): boolean {
  return types.at(-1) === 'PipelineCompleted';
}

/** The stream has all of the journal, once, in its order. */
function expectWhole(server: Served, id: string, stream: Stream | undefined): void {
  const lines = journalText(directoryOf(server, id)).trimEnd().split('\n');
  const journal = lines.map((line) => linkOf(line).text);
  expect(stream?.ids, `${id} ${stream?.endings.join()}`).toEqual(journal.map((_, index) => index + 1));
  expect(stream?.lines, id).toEqual(journal);
  expect(stream?.endings, id).toEqual([expect.stringMatching(/^event: end\ndata: .*"status":"success"/)]);
}

/** The most megabytes that a process has had so far; undefined where the system does not say. */
function peakMegabytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
