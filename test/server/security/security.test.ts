import { describe, expect, test } from 'vitest';
import { cookieValueOf } from '../../../src/server/security/server-token.js';
import { refusalOf, send, smallServer, token } from './small-server.js';

const cookie = `attractor-8421=${cookieValueOf(token)}`;
const none = { authorization: '' };

describe('§9.5 who may ask', () => {
  test.each<[who: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['with the token', {}, 200],
    ['with the token, the scheme in small letters', { authorization: `bearer ${token}` }, 200],
    ['without a token', none, 401],
    ['with a wrong token', { authorization: `Bearer ${token.slice(1)}x` }, 401],
    ['with a longer token', { authorization: `Bearer ${token}x` }, 401],
    ['with the token as a password', { authorization: `Basic ${btoa(`user:${token}`)}` }, 401],
    ['with an empty token', { authorization: 'Bearer ' }, 401],
    ['with the cookie', { ...none, cookie }, 200],
    ['with the cookie of another port', { ...none, cookie: cookie.replace('8421', '8422') }, 401],
    ['with the token as the cookie', { ...none, cookie: `attractor-8421=${token}` }, 401],
    ['with a wrong token next to the cookie', { authorization: 'Bearer wrong', cookie }, 401],
  ])('is one %s: %#', async (_who, headers, status) => {
    const answer = await send(smallServer(), '/runs', headers);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('health is for everybody, under its own path only', async () => {
    const app = smallServer();
    expect(await (await send(app, '/health', none)).json()).toEqual({ status: 'ok' });
    for (const path of ['/health/', '/Health', '//health', '/health/x', '/health%2f..%2fruns']) {
      expect((await send(app, path, none)).status, path).toBe(401);
    }
  });

  test('the link opens the page: a cookie, and an address without the token', async () => {
    const app = smallServer();
    const answer = await send(app, `/runs?search=a&token=${token}`, none);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/runs?search=a']);
    expect(await answer.text()).not.toContain(token);
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).toContain('HttpOnly');
    expect(set).toContain('SameSite=Strict');
    expect(set).not.toContain(token);
    const kept = set.split(';', 1)[0] ?? '';
    expect((await send(app, '/runs', { ...none, cookie: kept })).status).toBe(200);
  });

  test.each<[who: string, path: string, headers: Readonly<Record<string, string>>]>([
    ['no cookie', '/', {}],
    ['no cookie, at a page further in', '/runs', {}],
    ['the cookie of an older server', '/', { cookie: 'attractor-8421=old' }],
    ['a link whose token is wrong', '/?token=%3Cscript%3E', {}],
  ])('a browser with %s is told what to do, in words for people', async (_who, path, headers) => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const answer = await send(smallServer(), path, { ...none, accept, ...headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'text/html; charset=UTF-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const text = await answer.text();
    expect(text).toContain('attractor serve');
    expect(text).not.toMatch(/<script|<a |action=|old|http:/);
    expect(text).toContain('name="token"');
    expect(answer.headers.get('content-security-policy')).toMatch(/form-action 'self'.*base-uri 'none'/);
  });

  test.each([
    ['a program that takes anything', 'GET', '*/*'],
    ['the page itself', 'GET', 'application/json'],
    ['a form', 'POST', 'text/html'],
  ])('%s without the token gets a problem as JSON', async (_who, method, accept) => {
    expect(await refusalOf(await send(smallServer(), '/runs', { ...none, accept }, { method }))).toBe(
      '401 unauthorized',
    );
  });

  test('the link leads to no other host', async () => {
    const answer = await send(smallServer(), `//evil.example/x?token=${token}`, none);
    expect(answer.headers.get('location')).toBe('/evil.example/x');
  });

  test.each([
    ['a wrong token in a link', '/runs?token=wrong', 'GET'],
    ['the token in the address of a write', `/runs?token=${token}`, 'POST'],
  ])('%s opens nothing', async (_what, path, method) => {
    const answer = await send(smallServer(), path, none, { method });
    expect(await refusalOf(answer)).toBe('401 unauthorized');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('a refusal does not repeat what was tried', async () => {
    const answer = await send(smallServer(), '/runs', { authorization: 'Bearer hunter2hunter2' });
    const text = await answer.text();
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(token);
  });

  test('wrong tokens are limited, and shut nobody out who has the right one', async () => {
    let now = 0;
    const app = smallServer({ now: () => now });
    const wrong = { authorization: 'Bearer wrong' };
    for (let i = 0; i < 10; i += 1) expect((await send(app, '/runs', wrong)).status).toBe(401);
    const answer = await send(app, '/runs', wrong);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await refusalOf(answer)).toBe('429 too_many_requests');
    expect((await send(app, '/runs')).status).toBe(200);
    expect((await send(app, '/runs', none)).status).toBe(401);
    now = 5000;
    expect((await send(app, '/runs', wrong)).status).toBe(401);
  });
});

describe('§9.5 the host that a request is addressed to', () => {
  test.each([
    ['127.0.0.1:8421', 200],
    ['127.0.0.1', 200],
    ['localhost:8080', 200],
    ['LOCALHOST', 200],
    ['[::1]:8421', 200],
    ['build.example.org', 200],
    ['Build.Example.Org:443', 200],
    ['[fd00::1]:8421', 200],
    ['ci.example.org:9000', 200],
    ['evil.example', 403],
    ['evil.example:8421', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example', 403],
    ['evil.example#localhost', 403],
    ['user@localhost', 403],
    ['localhost:8421:1', 403],
    ['127.0.0.2', 403],
    ['0.0.0.0:8421', 403],
    ['[::ffff:127.0.0.1]', 403],
    ['"', 403],
  ])('%s: %i', async (host, status) => {
    const app = smallServer({ allowedHosts: ['build.example.org', 'CI.example.org:8443', 'fd00::1', ''] });
    for (const path of ['/runs', '/health']) {
      const answer = await send(app, path, { host });
      expect(answer.status, path).toBe(status);
      if (status === 403) expect(await refusalOf(answer)).toBe('403 forbidden_host');
    }
  });

  test('is the one of the address too, where that has one', async () => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}` };
    const answer = await smallServer().request('http://evil.example/runs', { headers });
    expect(await refusalOf(answer)).toBe('403 forbidden_host');
  });
});

describe('§9.5 pages of other sites', () => {
  const own = 'http://127.0.0.1:8421';
  test.each<[what: string, method: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['its own page', 'POST', { origin: own, 'sec-fetch-site': 'same-origin' }, 200],
    ['its own page behind a proxy', 'POST', { host: 'localhost', origin: 'https://localhost' }, 200],
    ['a program', 'POST', {}, 200],
    ['an address that somebody has typed', 'GET', { 'sec-fetch-site': 'none' }, 200],
    ['another site', 'POST', { origin: 'https://evil.example' }, 403],
    ['another site, reading', 'GET', { origin: 'https://evil.example' }, 403],
    ['another site, asking whether it may', 'OPTIONS', { origin: 'https://evil.example' }, 403],
    ['another port', 'POST', { origin: 'http://127.0.0.1:9999' }, 403],
    ['another name of the machine', 'POST', { origin: 'http://localhost:8421' }, 403],
    ['a frame without an origin', 'POST', { origin: 'null' }, 403],
    ['a file', 'POST', { origin: 'file://127.0.0.1:8421' }, 403],
    ['a form of another site', 'POST', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port, as browsers call it', 'GET', { 'sec-fetch-site': 'same-site' }, 403],
    [
      'a script tag of another site',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      403,
    ],
    [
      'a link',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      200,
    ],
    [
      'a frame',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      403,
    ],
    [
      'a form that is sent',
      'POST',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      403,
    ],
  ])('%s (%s)', async (_what, method, headers, status) => {
    const answer = await send(smallServer(), '/runs', headers, { method });
    expect(answer.status).toBe(status);
    if (status === 403) expect(await refusalOf(answer)).toBe('403 forbidden_origin');
  });

  test('what changes something with the cookie says that it comes from the page', async () => {
    const app = smallServer();
    const silent = await send(app, '/runs', { ...none, cookie }, { method: 'POST' });
    expect(await refusalOf(silent)).toBe('403 forbidden_origin');
    const said = await send(app, '/runs', { ...none, cookie, origin: own }, { method: 'POST' });
    expect(said.status).toBe(200);
  });
});

describe('§9.5 how much a client may ask', () => {
  test('is so many requests a second, and some at once', async () => {
    let now = 0;
    const app = smallServer({ requestsPerSecond: 2, now: () => now });
    const statuses = async (count: number): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let i = 0; i < count; i += 1) found.push((await send(app, '/runs')).status);
      return found;
    };
    expect(await statuses(11)).toEqual([...Array(10).fill(200), 429]);
    const refused = await send(app, '/runs');
    expect(refused.headers.get('retry-after')).toBe('1');
    now = 1000;
    expect(await statuses(3)).toEqual([200, 200, 429]);
    now = 1_000_000;
    expect(await statuses(11)).toEqual([...Array(10).fill(200), 429]);
  });

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
  ])('strangers with %s use nothing up of those who have one, at the same address', async (_, headers) => {
    const app = smallServer({ requestsPerSecond: 1, now: () => 0 });
    const strangers: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      strangers.push((await app.request('http://localhost/runs', { headers })).status);
    }
    expect(strangers).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await send(app, '/runs')).status).toBe(200);
  });

  test('every address for itself', async () => {
    const app = smallServer({ requestsPerSecond: 1 });
    const from = (remoteAddress: string) =>
      app.request('http://localhost/health', {}, { incoming: { socket: { remoteAddress } } });
    for (let i = 0; i < 5; i += 1) expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(200);
  });
});

describe('73: bodies', () => {
  const post = (
    headers: Readonly<Record<string, string>>,
    body: NonNullable<RequestInit['body']>,
    setting: Parameters<typeof smallServer>[0] = {},
  ) => send(smallServer(setting), '/runs', headers, { method: 'POST', body, duplex: 'half' });
  const json = { 'content-type': 'application/json', 'content-length': '2' };

  test.each([
    ['application/json', 200],
    ['text/vnd.graphviz', 200],
    ['text/plain; charset=UTF-8', 200],
    ['Text/Plain;charset="utf-8"', 200],
    ['text/plain; charset=utf-16', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['text/html', 415],
    ['', 415],
  ])('of the type "%s": %i', async (type, status) => {
    const answer = await post(
      { 'content-type': type, 'content-length': '2' },
      new TextEncoder().encode('{}'),
    );
    expect(answer.status).toBe(status);
    if (status === 415) expect(await refusalOf(answer)).toBe('415 unsupported_media_type');
  });

  test.each([
    ['gzip', 415],
    ['br', 415],
    ['Identity', 200],
  ])('in the encoding "%s": %i', async (encoding, status) => {
    const answer = await post({ ...json, 'content-encoding': encoding }, new TextEncoder().encode('{}'));
    expect(answer.status).toBe(status);
    if (status === 415) expect(await answer.text()).toMatch(/unsupported_media_type.*Content-Encoding/);
  });

  test('that are not there need no type', async () => {
    expect(await (await send(smallServer(), '/runs', {}, { method: 'POST' })).text()).toBe('got 0');
  });

  test('of the limit are read, whole', async () => {
    const answer = await post({ ...json, 'content-length': '1000' }, 'x'.repeat(1000));
    expect(await answer.text()).toBe('got 1000');
  });

  test('said to be larger are not looked at', async () => {
    const untouched = new ReadableStream(
      {
        pull() {
          throw new Error('nobody asks for it');
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await post({ ...json, 'content-length': '1001' }, untouched);
    expect(await refusalOf(answer)).toBe('413 too_large');
  });

  test('that turn out to be larger are given up at once', async () => {
    let asked = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          asked += 1;
          controller.enqueue(new Uint8Array(400));
        },
        cancel() {
          isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await post({ ...json, 'content-length': '', 'transfer-encoding': 'chunked' }, endless);
    expect(await refusalOf(answer)).toBe('413 too_large');
    expect({ asked, isCancelled }).toEqual({ asked: 3, isCancelled: true });
  });

  test('that do not come are not waited for', async () => {
    let isCancelled = false;
    const mute = new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true;
      },
    });
    const answer = await post(json, mute, { bodyTimeoutMs: 1 });
    expect(await refusalOf(answer)).toBe('408 too_slow');
    expect(isCancelled).toBe(true);
  });

  test('of strangers are not read', async () => {
    let asked = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull() {
          asked += 1;
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await post({ ...json, ...none }, body);
    expect([answer.status, asked]).toEqual([401, 0]);
  });
});

describe('§9.5 what every answer says', () => {
  test.each([
    ['an answer', '/runs', {}],
    ['a response of its own', '/bare', {}],
    ['a refusal', '/runs', none],
    ['a foreign host', '/runs', { host: 'evil.example' }],
    ['nothing there', '/nowhere', {}],
  ])('%s is inert', async (_what, path, headers) => {
    const answer = await send(smallServer(), path, headers as Readonly<Record<string, string>>);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain('sandbox');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  test('nothing lets other sites read it', async () => {
    const answer = await send(smallServer(), '/runs');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test('§9.5 connections are not upgraded', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  expect(await refusalOf(await send(smallServer(), '/runs', headers))).toBe('400 bad_request');
});
