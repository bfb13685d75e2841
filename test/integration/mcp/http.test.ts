import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { startAttractor } from '../process/attractor.js';
import { callsOf, clientWith } from './agent-client.js';

const gate = `digraph Gate {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    ask   [shape=hexagon, label="Publish it?"]
    start -> ask
    ask -> done [label="[Y] Yes"]
    ask -> done [label="[N] No"]
}
`;

async function startServer(cwd: string) {
  const flags = ['mcp', '--http', '--port', '0', '--token-file', 'token'];
  const server = startAttractor(flags, { cwd });
  const address = /http:\/\/127\.0\.0\.1:\d+\/mcp/;
  await server.until('the address', () => address.test(server.output()));
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await server.finished;
  });
  const [url = ''] = address.exec(server.output()) ?? [];
  return { url, token: readFileSync(path.join(cwd, 'token'), 'utf8').trim() };
}

const initialize = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** Status of a request with these headers. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const accept = 'application/json, text/event-stream';
    const sent = request(
      url,
      { method: 'POST', headers: { accept, 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(initialize);
  });
}

it('serves clients that have the token, and nobody else', async () => {
  const { url, token } = await startServer(directoryWith({}));
  const authorization = `Bearer ${token}`;
  expect(await statusOf(url, {})).toBe(401);
  expect(await statusOf(url, { authorization: 'Bearer wrong' })).toBe(401);
  expect(await statusOf(url, { authorization, host: 'example.org' })).toBe(403);
  expect(await statusOf(url, { authorization, origin: 'https://example.org' })).toBe(403);
  expect(await statusOf(url, { authorization, 'mcp-session-id': 'none' })).toBe(404);
  expect(await statusOf(url, { authorization })).toBe(200);
  expect(await statusOf(url.replace('/mcp', '/runs'), { authorization })).toBe(404);
});

it('checks, runs, and asks the person of each client', async () => {
  const { url, token } = await startServer(directoryWith({ 'gate.dot': gate }));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const asked: string[] = [];
  const client = clientWith((message) => {
    asked.push(message);
    return { action: 'accept', content: { answer: '[N] No' } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  const call = callsOf(client);
  expect((await call('check', { file: 'gate.dot' })).text).toBe('gate.dot: no findings');
  expect((await call('run', { file: 'gate.dot', wait_seconds: 50 })).text).toMatch(/: success/);
  expect(asked).toEqual(['Publish it?']);
});
