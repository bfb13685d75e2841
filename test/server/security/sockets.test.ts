import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answerClientError } from '../../../src/server/security/answer-client-error.js';
import { httpServerOptions } from '../../../src/server/security/limits.js';
import type { SecurityOptions } from '../../../src/server/security/security.js';
import { turns } from '../../support/interviewers.js';
import { sendBytes, sendRaw } from './raw-request.js';
import { smallServer, token } from './small-server.js';

/** A small server that listens, with times that a test can wait for. */
async function listening(
  setting: Partial<SecurityOptions> = {},
  headersTimeout: number = httpServerOptions.headersTimeout,
): Promise<number> {
  const times = { headersTimeout, requestTimeout: 60_000, connectionsCheckingInterval: 20 };
  const server = createServer(
    { ...httpServerOptions, ...times },
    getRequestListener(smallServer(setting).fetch, { overrideGlobalObjects: false }),
  );
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const authorized = `Authorization: Bearer ${token}\r\n`;
const post = (headers: string): string =>
  `POST /runs HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorized}Content-Type: application/json\r\n${headers}\r\n`;

/** The status and the code of a problem in an answer as it came. */
function problemIn(answer: string): string {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const code = /"code":"(\w+)"/.exec(body)?.[1];
  return `${head.split(' ', 2)[1]} ${code}`;
}

async function isWell(port: number): Promise<void> {
  expect(await sendRaw(port, { path: '/health' })).toMatchObject({ status: 200 });
}

describe('§9.5 over a socket', () => {
  test.each([
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 too_large',
    ],
    [
      'a chunk with extensions that are too large',
      `${post('Transfer-Encoding: chunked\r\n')}2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      '413 too_large',
    ],
    ['what is not HTTP', 'EHLO example.org\r\n\r\n', '400 bad_request'],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n'), '400 bad_request'],
    ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'), '400 bad_request'],
    ['an encoding that is none', post('Transfer-Encoding: xchunked\r\n'), '400 bad_request'],
    ['a chunk without a size', `${post('Transfer-Encoding: chunked\r\n')}zz\r\n`, '400 bad_request'],
    ['a body that does not come', `${post('Content-Length: 10\r\n')}{`, '408 too_slow'],
    ['a body that comes in drops', `${post('Transfer-Encoding: chunked\r\n')}1\r\n{\r\n`, '408 too_slow'],
    [
      'an upgrade',
      `GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorized}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      '400 bad_request',
    ],
    [
      'another host in its line',
      `GET http://evil.example/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorized}Connection: close\r\n\r\n`,
      '403 forbidden_host',
    ],
  ])('%s is refused, and the connection closed', async (_what, bytes, refusal) => {
    const port = await listening({ bodyTimeoutMs: 100 });
    expect(problemIn(await sendBytes(port, bytes))).toBe(refusal);
    await isWell(port);
  });

  test('a refusal reaches whoever still sends', async () => {
    // However long the sender takes, it is not too late.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const socket = connect(await listening(), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write('EHLO example.org\r\n\r\n');
    for (let piece = 0; piece < 20; piece += 1) {
      await turns();
      socket.write('x'.repeat(10_000));
    }
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    await closed;
    expect(problemIn(answer)).toBe('400 bad_request');
  });

  test('headers that do not come to an end are not waited for', async () => {
    const port = await listening({}, 100);
    const answer = await sendBytes(port, 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    expect(problemIn(answer)).toBe('408 too_slow');
  });

  test('a request without a host is refused', async () => {
    const port = await listening();
    const answer = await sendBytes(port, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    await isWell(port);
  });

  test('a tunnel is not opened', async () => {
    const port = await listening();
    const answer = await sendBytes(port, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
    expect(answer).toBe('');
    await isWell(port);
  });

  test('what comes after a body that was refused is not a request', async () => {
    const port = await listening();
    const second = `GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorized}\r\n`;
    const answer = await sendBytes(port, `${post('Content-Length: 100000\r\n')}${second}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    await isWell(port);
  });
});
