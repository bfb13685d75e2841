import { existsSync, readFileSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { diagnosticsJson } from '../../../src/server/diagnostics-json.js';
import { maxConnections } from '../../../src/server/security/limits.js';
import { type Running, startAttractor, temporaryDirectory } from './attractor.js';

interface Served {
  readonly running: Running;
  readonly url: string;
  readonly token: string;
  readonly directory: string;
}

interface Serving {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
}

/** Starts a server that is gone when the test that asked for it has ended. */
async function serve({ args = [], env, directory = temporaryDirectory() }: Serving = {}): Promise<Served> {
  const running = startAttractor(
    ['serve', '--port', '0', '--token-file', 'token', '--log-format', 'json', '--no-config', ...args],
    { cwd: directory, env: { HOME: directory, XDG_CONFIG_HOME: undefined, ...env } },
  );
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.finished;
  });
  const link = /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/m;
  await running.until('the link', () => link.test(running.output()));
  const found = new URL(link.exec(running.output())?.[0] ?? '');
  return { running, directory, url: found.origin, token: found.searchParams.get('token') ?? '' };
}

const statusOf = async (url: string, init?: RequestInit): Promise<number> => (await fetch(url, init)).status;

/** A pipeline that takes lint seconds, with an error at its end. */
function chainOf(count: number): string {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`);
  const nodes = ids.map(
    (id, index) => `${id} [prompt="Do \${context.k${index % 50}}", writes="k${(index + 1) % 50}: integer"]`,
  );
  const edges = ids.slice(1).map((id, index) => `n${index} -> ${id} [condition="outcome=success"]`);
  return [
    'digraph large { goal="x" start [shape=Mdiamond] exit [shape=Msquare]',
    ...nodes,
    'start -> n0',
    ...edges,
    `n${count - 1} -> exit n0 -> lost }`,
  ].join('\n');
}

describe('§9.5 attractor serve', () => {
  test('keeps its memory, whatever bodies come', async () => {
    const { running, url, token } = await serve();
    const before = memoryOf(running.pid);
    const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    for (const framing of [`Content-Length: ${hundredMegabytes}\r\n`, 'Transfer-Encoding: chunked\r\n', '']) {
      const senders = Array.from({ length: 3 }, () =>
        pour(url, `POST /pipelines HTTP/1.1\r\n${headers}${framing}\r\n`),
      );
      for (const answer of await Promise.all(senders)) expect(answer).toMatch(/^HTTP\/1\.1 (?:4\d\d) /);
      expect(await statusOf(`${url}/health`)).toBe(200);
    }
    if (before === undefined) return;
    expect((memoryOf(running.pid) ?? 0) - before).toBeLessThan(100);
  });

  test('answers others while Graphviz lays out what somebody posted', async () => {
    const { url, token } = await serve();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ dot: layered, simulate: true });
    const posted = await fetch(`${url}/pipelines`, { method: 'POST', headers, body });
    const { id } = (await posted.json()) as { readonly id: string };
    await (await fetch(`${url}/pipelines/${id}/events`, { headers })).text();
    const order: string[] = [];
    const drawn = statusOf(`${url}/pipelines/${id}/report`, { headers }).then((status) => {
      order.push(`report ${status}`);
    });
    for (let count = 0; count < 20; count += 1)
      order.push(`list ${await statusOf(`${url}/pipelines`, { headers })}`);
    await drawn;
    expect(order).toEqual([...Array.from({ length: 20 }, () => 'list 200'), 'report 200']);
  });

  test('answers others while lint checks what somebody posted, with all that it finds', async () => {
    const { url, token } = await serve();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const text = chainOf(4900);
    const order: string[] = [];
    const posted = ['/lint', '/pipelines'].map(async (path) => {
      const body = JSON.stringify({ dot: text });
      const answer = await fetch(url + path, { method: 'POST', headers, body });
      const { diagnostics } = (await answer.json()) as { readonly diagnostics: unknown };
      order.push(`POST ${answer.status}`);
      return diagnostics;
    });
    for (let count = 0; count < 20; count += 1)
      order.push(`list ${await statusOf(`${url}/pipelines`, { headers })}`);
    const [linted, refused] = await Promise.all(posted);
    expect(order.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'list 200'));
    expect(order.slice(20).sort()).toEqual(['POST 200', 'POST 400']);
    const { source, diagnostics } = compile(text, { name: 'pipeline.dot' });
    const expected = JSON.parse(JSON.stringify(diagnosticsJson(diagnostics, source)));
    expect(expected.length).toBeGreaterThan(1);
    expect(linted).toEqual(expected);
    expect(refused).toEqual(expected);
  });

  test('has one token with the others that start at the same time', async () => {
    const directory = temporaryDirectory();
    const homes = ['a', 'b', 'c'].map((home) => serve({ directory, args: ['--home', home] }));
    const servers = await Promise.all(homes);
    expect(new Set(servers.map(({ token }) => token)).size).toBe(1);
    for (const { url, token } of servers) {
      expect(await statusOf(`${url}/pipelines`, { headers: { authorization: `Bearer ${token}` } })).toBe(200);
    }
  });

  test('answers a new client next to as many idle ones as it takes', async () => {
    const { url } = await serve();
    const idle = await Promise.all(Array.from({ length: maxConnections + 50 }, () => connected(url)));
    onTestFinished(() => {
      for (const socket of idle) socket.destroy();
    });
    expect(await statusOf(`${url}/health`)).toBe(200);
    expect(idle.filter(({ closed }) => !closed).length).toBeGreaterThan(maxConnections - 10);
  });
});

/** A connection that sends nothing. */
function connected(url: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
    socket.once('error', reject).on('error', () => undefined);
    socket.resume();
  });
}

/** Layers of stages, each of which leads to all of the next: Graphviz has seconds of work with it. */
const layered = (() => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const layers = numbers.slice(0, 10);
  const stages = layers.flatMap((layer) => numbers.map((one) => `n${layer}_${one} [prompt="work"]`));
  const edges = layers
    .slice(1)
    .flatMap((layer) =>
      numbers.flatMap((one) => numbers.map((other) => `n${layer - 1}_${one} -> n${layer}_${other}`)),
    );
  const ends = numbers.flatMap((one) => [`start -> n0_${one}`, `n9_${one} -> done`]);
  const statements = ['start [shape=Mdiamond]', 'done [shape=Msquare]', ...stages, ...edges, ...ends];
  return `digraph Layered { ${statements.join('; ')} }`;
})();

const hundredMegabytes = 100 * 1024 * 1024;

/** Sends a head and as much of a hundred megabytes as the other side takes. @returns what it says to that */
function pour(url: string, head: string): Promise<string> {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const isChunked = head.includes('chunked');
  const part = isChunked ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]) : piece;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => {
      socket.write(head);
      pourInto(socket, part);
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    // The other side does not read to the end, which breaks the pipe.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

/**
 * Past the stream, which at a broken pipe would throw away what has come: where this process is held up for longer than the
 * other side waits, that is the answer.
 */
function pourInto(socket: Socket, part: Buffer): void {
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
  let sent = 0;
  const more = (): void => {
    try {
      while (sent < hundredMegabytes && !socket.destroyed) sent += writeSync(fd, part, sent % part.length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') setTimeout(more, 1);
    }
  };
  more();
}

/** The most megabytes that a process has had so far; undefined where the system does not say. */
function memoryOf(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
