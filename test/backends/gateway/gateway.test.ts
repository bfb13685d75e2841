import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../../src/backends/ai/request-error.js';
import { GatewayServer } from '../../../src/backends/gateway/gateway-server.js';
import { StageSuspension } from '../../../src/handlers/handler.js';
import { testEach } from '../../run/harness.js';
import { eventStream } from '../../support/wire-server.js';
import { anthropicKey, type BenchOptions, fakeProvider, gatewayBench, usesIn } from './gateway-bench.js';

const messages = { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [] };

/** The events of a reply of Anthropic. */
const replyEvents = [
  {
    type: 'message_start',
    message: { model: 'claude-sonnet-4-5', usage: { input_tokens: 1000, output_tokens: 1 } },
  },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Done.' } },
  { type: 'message_delta', usage: { output_tokens: 100 } },
  { type: 'message_stop' },
];

const reply = eventStream(...replyEvents);

const unpricedReply = reply.replaceAll('claude-sonnet-4-5', 'our-own');

function sends(response: ServerResponse, text = reply, type = 'text/event-stream'): void {
  response.writeHead(200, { 'content-type': type });
  response.end(text);
}

function refuses(response: ServerResponse, status: number, message: string, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type: 'some_error', message } }));
}

function claude(url: string): BenchOptions {
  return { environment: { ANTHROPIC_API_KEY: anthropicKey, ANTHROPIC_BASE_URL: url, PATH: '/bin' } };
}

describe('a request through the gateway', () => {
  test('carries the key, which the agent does not have', async () => {
    const provider = await fakeProvider((response) => sends(response));
    const { ask, environment } = await gatewayBench(claude(`${provider.url}/corporate`));
    const answer = await ask('/v1/messages?beta=true', messages);
    expect(await answer.text()).toBe(reply);
    expect(JSON.stringify(environment)).not.toContain(anthropicKey);
    expect(provider.received).toHaveLength(1);
    const [{ path, headers, body }] = provider.received as [(typeof provider.received)[number]];
    expect(path).toBe('/corporate/v1/messages?beta=true');
    expect(headers['x-api-key']).toBe(anthropicKey);
    expect(JSON.stringify(headers)).not.toContain(environment.ANTHROPIC_API_KEY);
    expect(JSON.parse(body.toString())).toEqual(messages);
  });

  const wires: readonly {
    readonly name: string;
    readonly options: (url: string) => BenchOptions;
    readonly path: string;
    readonly asked: object;
    readonly reply: string;
    readonly type?: string;
    readonly used: object;
  }[] = [
    {
      name: 'of Anthropic, as a stream',
      options: claude,
      path: '/v1/messages',
      asked: messages,
      reply,
      used: {
        ...{ provider: 'anthropic', model: 'claude-sonnet-4-5' },
        usage: { requests: 1, input_tokens: 1000, output_tokens: 100, cost_usd: 0.0045 },
      },
    },
    {
      name: 'of Anthropic, in one piece',
      options: claude,
      path: '/v1/messages',
      asked: messages,
      reply: JSON.stringify({ type: 'message', usage: { input_tokens: 1000, output_tokens: 100 } }),
      type: 'application/json',
      used: {
        ...{ provider: 'anthropic', model: 'claude-sonnet-4-5' },
        usage: { requests: 1, input_tokens: 1000, output_tokens: 100, cost_usd: 0.0045 },
      },
    },
    {
      name: 'under a name of a proxy, with the model that answers',
      options: claude,
      path: '/v1/messages',
      asked: { ...messages, model: 'our-best' },
      reply,
      used: { model: 'claude-sonnet-4-5', usage: { cost_usd: 0.0045 } },
    },
    {
      name: 'of OpenAI, by its responses',
      options: codex,
      path: '/responses',
      asked: { model: 'gpt-5', stream: true },
      reply: eventStream(
        { type: 'response.created', response: { model: 'gpt-5-2025-08-07', usage: null } },
        {
          type: 'response.completed',
          response: {
            model: 'gpt-5-2025-08-07',
            usage: {
              ...{ input_tokens: 1000, output_tokens: 100 },
              input_tokens_details: { cached_tokens: 400 },
            },
          },
        },
      ),
      used: {
        ...{ provider: 'openai', model: 'gpt-5' },
        usage: {
          requests: 1,
          input_tokens: 1000,
          output_tokens: 100,
          cached_input_tokens: 400,
          cost_usd: 0.0018,
        },
      },
    },
    {
      name: 'of OpenAI, by chat completions',
      options: codex,
      path: '/chat/completions',
      asked: { model: 'gpt-5' },
      reply: `${eventStream({ model: 'gpt-5', choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } })}data: [DONE]\n\n`,
      used: { model: 'gpt-5', usage: { requests: 1, input_tokens: 1000, output_tokens: 100 } },
    },
    {
      name: 'of Google, as a stream',
      options: gemini,
      path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
      asked: { contents: [] },
      reply: eventStream(
        { modelVersion: 'gemini-2.5-pro', usageMetadata: { promptTokenCount: 1000 } },
        { usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 60, thoughtsTokenCount: 40 } },
      ),
      used: {
        ...{ provider: 'google', model: 'gemini-2.5-pro' },
        usage: { requests: 1, input_tokens: 1000, output_tokens: 100, reasoning_tokens: 40 },
      },
    },
    {
      name: 'of Google, as a list',
      options: gemini,
      path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
      asked: { contents: [] },
      reply: JSON.stringify([
        { usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 5 } },
        { usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100 } },
      ]),
      type: 'application/json',
      used: { usage: { requests: 1, input_tokens: 1000, output_tokens: 100 } },
    },
  ];

  testEach(wires, async ({ options, path, asked, reply: text, type, used }) => {
    const provider = await fakeProvider((response) => sends(response, text, type));
    const { ask, reports } = await gatewayBench(options(provider.url));
    const answer = await ask(path, asked);
    expect(await answer.text()).toBe(text);
    expect(usesIn(reports)).toHaveLength(1);
    expect(usesIn(reports)[0]).toMatchObject(used);
    const keys = Object.entries(provider.received[0]?.headers ?? {}).filter(([, value]) =>
      String(value).includes('real-key'),
    );
    expect(keys).toHaveLength(1);
  });

  test('that asks no model is passed on, and does not count', async () => {
    const provider = await fakeProvider((response) =>
      sends(response, '{"input_tokens":5}', 'application/json'),
    );
    const { ask, reports } = await gatewayBench({
      ...claude(provider.url),
      checkBudget: () => {
        throw new StageSuspension('used up');
      },
    });
    const answer = await ask('/v1/messages/count_tokens', messages);
    expect(await answer.json()).toEqual({ input_tokens: 5 });
    expect(reports).toEqual([]);
  });

  test('is a request, with a warning, if its reply does not say what it used', async () => {
    const provider = await fakeProvider((response) =>
      sends(response, '{"type":"message"}', 'application/json'),
    );
    const { ask, reports, logs } = await gatewayBench(claude(provider.url));
    for (let count = 0; count < 2; count += 1) await (await ask('/v1/messages', messages)).text();
    expect(usesIn(reports).map(({ usage }) => usage)).toMatchObject([{ requests: 1 }, { requests: 1 }]);
    expect(logs).toEqual([expect.stringContaining('claude-sonnet-4-5 do not say what they used')]);
  });

  test('may be large, and its reply compressed', async () => {
    const text = 'x'.repeat(20_000_000);
    const whole = JSON.stringify({ type: 'message', usage: { input_tokens: 7, output_tokens: 3 }, text });
    const provider = await fakeProvider((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(whole));
    });
    const { ask, reports } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', { ...messages, text });
    expect((await answer.text()).length).toBe(whole.length);
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(provider.received[0]?.body.length).toBeGreaterThan(20_000_000);
    expect(usesIn(reports)[0]).toMatchObject({ usage: { input_tokens: 7, output_tokens: 3 } });
  });

  test('needs the token of a stage that is under way', async () => {
    const provider = await fakeProvider((response) => sends(response));
    const server = new GatewayServer();
    const other = await gatewayBench({ ...claude(provider.url), server });
    const { ask, stage } = await gatewayBench({ ...claude(provider.url), server });
    const stranger = await ask('/v1/messages', messages, { headers: { 'x-api-key': anthropicKey } });
    expect(stranger.status).toBe(401);
    expect(await stranger.text()).toContain('no token of a stage');
    await stage.close();
    expect((await ask('/v1/messages', messages)).status).toBe(401);
    await other.stage.close();
    await expect(ask('/v1/messages', messages)).rejects.toThrow();
    expect(provider.received).toEqual([]);
  });

  test('counts for its own stage only', async () => {
    const provider = await fakeProvider((response) => sends(response));
    const server = new GatewayServer();
    const [one, two] = [
      await gatewayBench({ ...claude(provider.url), server }),
      await gatewayBench({ ...claude(provider.url), server }),
    ];
    const answers = await Promise.all([one, two, two].map(({ ask }) => ask('/v1/messages', messages)));
    await Promise.all(answers.map((answer) => answer.text()));
    expect([usesIn(one.reports).length, usesIn(two.reports).length]).toEqual([1, 2]);
  });
});

describe('the proxy of the agent', () => {
  test('is used by the gateway, and not for the gateway', async () => {
    const proxy = await fakeProvider((response) => sends(response));
    const { ask, environment } = await gatewayBench({
      environment: {
        ANTHROPIC_API_KEY: anthropicKey,
        ANTHROPIC_BASE_URL: 'http://models.example',
        HTTP_PROXY: proxy.url,
        NO_PROXY: 'intranet.example',
      },
    });
    expect(environment.NO_PROXY).toBe('127.0.0.1,intranet.example');
    const answer = await ask('/v1/messages', messages);
    expect(await answer.text()).toBe(reply);
    expect(proxy.connected).toEqual(['models.example:80']);
  });

  test('of another kind than HTTP keeps it direct', async () => {
    const { environment } = claude('http://models.example');
    const given = { ...environment, ALL_PROXY: 'socks5://127.0.0.1:1' };
    await expect(gatewayBench({ environment: given })).rejects.toThrow('the agent is not metered');
  });
});

describe('a stream through the gateway', () => {
  test('passes event by event', async () => {
    let goOn: () => void = () => undefined;
    const provider = await fakeProvider(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of replyEvents) {
        const read = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        response.write(eventStream(event));
        // The next event is sent only after the agent has read this one.
        await read;
      }
      response.end();
    });
    const { ask } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    let events = 0;
    for await (const _chunk of answer.body ?? []) {
      events += 1;
      goOn();
    }
    expect(events).toBe(replyEvents.length);
  });

  test('has counted before the agent reads its last event', async () => {
    const provider = await fakeProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // The connection stays open.
      response.write(reply);
    });
    const { ask, reports, stage } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('message_stop')) break;
    }
    expect(usesIn(reports)).toHaveLength(1);
    await stage.close();
    expect(usesIn(reports)).toHaveLength(1);
  });

  test('ends at the server when the agent goes away, and what has passed counts', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const provider = await fakeProvider((response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(eventStream(replyEvents[0] ?? {}));
    });
    const { ask, reports, stage } = await gatewayBench(claude(provider.url));
    const agent = new AbortController();
    const answer = await ask('/v1/messages', messages, { signal: agent.signal });
    await answer.body?.getReader().read();
    agent.abort();
    await gone;
    await stage.close();
    expect(usesIn(reports)[0]).toMatchObject({ usage: { input_tokens: 1000, output_tokens: 1 } });
  });

  test('ends with the stage', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const provider = await fakeProvider((response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(eventStream(replyEvents[0] ?? {}));
    });
    const { ask, reports, stage } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    const reading = answer.text();
    reading.catch(() => undefined);
    await stage.close();
    expect(usesIn(reports)).toHaveLength(1);
    await gone;
    await expect(reading).rejects.toThrow();
  });

  test('breaks off for the agent where it breaks off at the server', async () => {
    const provider = await fakeProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(eventStream(replyEvents[0] ?? {}), () => response.destroy());
    });
    const { ask, reports, stage } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    await expect(answer.text()).rejects.toThrow();
    expect(usesIn(reports)[0]).toMatchObject({ usage: { input_tokens: 1000 } });
    expect(stage.ending.aborted).toBe(false);
  });
});

describe('a request that fails', () => {
  const final = [
    {
      name: 'ends the stage at once: HTTP 401',
      status: 401,
      message: 'invalid x-api-key',
      said: /HTTP 401.*invalid x-api-key.*check the API key/,
    },
    {
      name: 'ends the stage at once: HTTP 403',
      status: 403,
      message: 'not for you',
      said: /HTTP 403.*not for you/,
    },
    {
      name: 'ends the stage at once: an empty account',
      status: 400,
      message: 'Your credit balance is too low',
      said: /used up its quota.*credit balance/,
    },
  ];

  testEach(final, async ({ status, message, said }) => {
    const provider = await fakeProvider((response) => refuses(response, status, message));
    const { ask, stage } = await gatewayBench(claude(provider.url));
    const answer = ask('/v1/messages', messages).catch(() => 'no answer');
    await once(stage.ending, 'abort');
    expect(stage.ending.reason).toBeInstanceOf(RequestError);
    expect(stage.ending.reason).toMatchObject({
      message: expect.stringMatching(said),
      failure_category: 'terminal',
    });
    // The agent may ask what it likes meanwhile.
    const again = ask('/v1/messages', messages).catch(() => 'no answer');
    await stage.close();
    expect(await Promise.all([answer, again])).toEqual(['no answer', 'no answer']);
    expect(provider.received).toHaveLength(1);
  });

  test('is repeated before the agent hears of it', async () => {
    let requests = 0;
    const provider = await fakeProvider((response) => {
      requests += 1;
      if (requests === 1) return refuses(response, 529, 'overloaded');
      if (requests === 2) return refuses(response, 429, 'slow down', { 'retry-after': '7' });
      return sends(response);
    });
    const { ask, stage, reports, pauses, held } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    expect(await answer.text()).toBe(reply);
    const retries = reports.flatMap((one) => (one.kind === 'request_retrying' ? [one] : []));
    expect(retries).toMatchObject([
      { provider: 'anthropic', model: 'claude-sonnet-4-5', reason: 'HTTP 529', request_attempt: 2 },
      { reason: 'HTTP 429', request_attempt: 3, request_attempts: 6 },
    ]);
    expect(pauses).toHaveLength(2);
    expect([...held, stage.isPausing()]).toEqual([true, true, false]);
    expect(pauses[1]).toBeGreaterThanOrEqual(7000);
    expect(usesIn(reports)).toHaveLength(1);
  });

  test('ends the stage after the last repetition, which may be tried again', async () => {
    const provider = await fakeProvider((response) => refuses(response, 500, 'oh'));
    const { ask, stage } = await gatewayBench({
      ...claude(provider.url),
      settings: { ai: { request_retries: 2 } },
    });
    ask('/v1/messages', messages).catch(() => undefined);
    await once(stage.ending, 'abort');
    expect(stage.ending.reason).toMatchObject({
      message: expect.stringMatching(/failed 3 times, the last time with HTTP 500: oh/),
      failure_category: 'retryable',
    });
    expect(provider.received).toHaveLength(3);
  });

  test('ends the stage if nothing listens at the address', async () => {
    const url = await silentAddress();
    const { ask, stage } = await gatewayBench({
      ...claude(url),
      settings: { ai: { request_retries: 1 } },
    });
    ask('/v1/messages', messages).catch(() => undefined);
    await once(stage.ending, 'abort');
    expect(stage.ending.reason).toMatchObject({
      message: expect.stringMatching(
        /nothing listens there: .*`ANTHROPIC_BASE_URL` \(http:\/\/127\.0\.0\.1:\d+\/\) right\?/,
      ),
    });
  });

  test('is the agent’s own affair if its request is wrong', async () => {
    const provider = await fakeProvider((response) =>
      refuses(response, 400, 'prompt is too long', { 'x-request-id': 'r1' }),
    );
    const { ask, stage } = await gatewayBench(claude(provider.url));
    const answer = await ask('/v1/messages', messages);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-request-id')).toBe('r1');
    expect(await answer.text()).toContain('prompt is too long');
    expect(stage.ending.aborted).toBe(false);
  });
});

describe('a budget', () => {
  test('126: stops the agent before the request that it does not allow', async () => {
    const provider = await fakeProvider((response) => sends(response));
    const { ask, stage, reports } = await gatewayBench({
      ...claude(provider.url),
      checkBudget: (told) => {
        if (usesIn(told).length > 0) throw new StageSuspension('used up');
      },
    });
    await (await ask('/v1/messages', messages)).text();
    expect(stage.ending.aborted).toBe(false);
    ask('/v1/messages', messages).catch(() => undefined);
    await once(stage.ending, 'abort');
    expect(stage.ending.reason).toBeInstanceOf(StageSuspension);
    expect(provider.received).toHaveLength(1);
    // What the agent would say of its usage is known.
    stage.call.report({
      kind: 'model_used',
      provider: '',
      model: '',
      usage: { requests: 1, input_tokens: 1000, output_tokens: 100 },
    });
    expect(usesIn(reports)).toHaveLength(1);
  });

  test('126: counts the cost that an agent reports if the price of its model is not known', async () => {
    const provider = await fakeProvider((response) => sends(response, unpricedReply));
    const { ask, stage, reports } = await gatewayBench(claude(provider.url));
    await (await ask('/v1/messages', { ...messages, model: 'our-own' })).text();
    const tells = (cost_usd: number) => {
      const usage = { requests: 1, input_tokens: 1000, output_tokens: 100, cost_usd };
      stage.call.report({ kind: 'model_used', provider: 'x', model: 'our-own', usage });
    };
    tells(0.02);
    tells(0.01);
    expect(usesIn(reports).map(({ usage }) => usage)).toEqual([
      { requests: 1, input_tokens: 1000, output_tokens: 100, cost_usd: undefined },
      { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0.02 },
      { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: expect.closeTo(0.01) },
    ]);
  });

  test('126: counts what an agent reports that has not asked through the gateway', async () => {
    const { stage, reports } = await gatewayBench(claude('http://127.0.0.1:9'));
    stage.call.report({
      kind: 'model_used',
      provider: '',
      model: 'x',
      usage: { requests: 1, input_tokens: 5, output_tokens: 1 },
    });
    expect(usesIn(reports)).toHaveLength(1);
  });
});

function codex(url: string): BenchOptions {
  return {
    agent: 'mine',
    environment: { MINE_KEY: 'sk-real-key-of-openai', MINE_URL: url },
    key: ['MINE_KEY', 'authorization'],
    addressVariable: 'MINE_URL',
  };
}

function gemini(url: string): BenchOptions {
  return {
    agent: 'gemini-cli',
    environment: { GEMINI_API_KEY: 'real-key-of-google', GOOGLE_GEMINI_BASE_URL: url },
    key: ['GEMINI_API_KEY', 'x-goog-api-key'],
    addressVariable: 'GOOGLE_GEMINI_BASE_URL',
  };
}

/** An address at which a server listened before. */
async function silentAddress(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
