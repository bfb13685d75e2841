import { createServer } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { journalOf } from '../support/journal-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitFor } from '../support/wait-for.js';
import { attractor, type Call, type Running, startAttractor } from './attractor.js';

const asking = `digraph asking {
  start [shape=Mdiamond]; done [shape=Msquare]; gate [shape=hexagon, label="Go on?"]
  start -> gate
  gate -> done [label="[Y] Yes"]
  gate -> gate [label="[A] Again"]
}`;

interface Served {
  readonly server: Running;
  readonly url: string;
  ask(address: string, init?: RequestInit): Promise<Response>;
}

async function serving(call: Call, ...options: readonly string[]): Promise<Served> {
  const server = startAttractor(['serve', '--port', '0', '--no-config', ...options], call);
  await server.until('it listens', () => /\?token=\S+\n/.test(server.output()));
  const [, url = '', token = ''] = /(http:\S+)\/\?token=(\S+)/.exec(server.output()) ?? [];
  const ask = (address: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${address}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  return { server, url, ask };
}

function home(): Call & { readonly cwd: string } {
  const cwd = temporaryDirectory();
  return { cwd, env: { HOME: cwd, XDG_CONFIG_HOME: undefined } };
}

async function submit({ ask }: Served): Promise<string> {
  const headers = { 'content-type': 'text/vnd.graphviz' };
  const answer = await ask('/pipelines', { method: 'POST', headers, body: asking });
  return ((await answer.json()) as { id: string }).id;
}

it('§9.5 serves until Ctrl-C pauses what runs, and continues with it at the next start', async () => {
  const call = home();
  const first = await serving(call);
  expect((await fetch(`${first.url}/health`)).status).toBe(200);
  expect((await fetch(`${first.url}/pipelines`)).status).toBe(401);
  const id = await submit(first);
  const run = path.join(call.cwd, '.attractor', 'runs', id);
  await waitFor('the question', () => journalOf(run).some(({ type }) => type === 'InterviewStarted'));
  const stream = await first.ask(`/pipelines/${id}/events`);
  first.server.signal('SIGINT');
  const ended = await first.server.finished;
  expect([ended.status, ended.stdout]).toEqual([130, expect.stringMatching(/^http:\S+\/\?token=\S+\n$/)]);
  // That this server stops is not the end of the run.
  expect(await stream.text().catch(() => '')).not.toContain('event: end');

  const second = await serving(call);
  const answer = await second.ask(`/answer/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"answer":"y"}',
  });
  expect(await answer.json()).toMatchObject({ value: 'Y' });
  await waitFor('the end', () => journalOf(run).at(-1)?.type === 'PipelineCompleted');
  second.server.signal('SIGTERM');
  expect((await second.server.finished).status).toBe(130);
});

it('says that the port is in use, and what to do', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  try {
    const { status, stderr } = await attractor(['serve', '--port', String(port)], home());
    expect([status, stderr]).toEqual([2, expect.stringContaining(`127.0.0.1:${port} is in use`)]);
    expect(stderr).toContain('--port');
  } finally {
    taken.close();
  }
});

it('refuses a second server of the same runs, and an address that others reach without a name', async () => {
  const call = home();
  const first = await serving(call);
  const second = await attractor(['serve', '--port', '0'], call);
  expect([second.status, second.stderr]).toEqual([2, expect.stringContaining('another server')]);
  const open = await attractor(['serve', '--host', '0.0.0.0', '--port', '0'], home());
  expect([open.status, open.stderr]).toEqual([2, expect.stringContaining('--allow-host')]);
  first.server.signal('SIGTERM');
  await first.server.finished;
});

it.each([
  ['--port', 'x'],
  ['--port', '70000'],
  ['--max-runs', '0'],
  ['--on-restart', 'maybe'],
])('refuses %s %s', async (option, value) => {
  expect((await attractor(['serve', option, value], home())).status).toBe(2);
});

it('writes its log as lines of JSON, without the token', async () => {
  const served = await serving(home(), '--log-format', 'json');
  await submit(served);
  await served.ask('/pipelines/none');
  served.server.signal('SIGTERM');
  const { stderr, stdout } = await served.server.finished;
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ message: 'request', method: 'POST', route: '/pipelines', status: 201 }),
  );
  expect(stderr).not.toContain(/token=(\S+)/.exec(stdout)?.[1] ?? 'there is no token');
});
