import { describe, expect, test } from 'vitest';
import { eventsOf, fileOf } from '../../run/harness.js';
import { virtualClock } from '../../support/virtual-clock.js';
import {
  answer,
  conversation,
  fallsSilent,
  type Reply,
  replyServer,
  resets,
  status,
  streams,
  text,
  type WireFormat,
  wireFormats,
} from './faults.js';
import { play } from './play-replies.js';

const [anthropic, , gemini, chat] = wireFormats as [WireFormat, WireFormat, WireFormat, WireFormat];

const page = '<html><head><title>Access denied</title></head></html>';
const once = { settings: { ai: { request_retries: 0 } } };

/** A host and its port, which differ. */
const host = String.raw`127\.0\.0\.1:\d+`;

describe('122: what asking again cannot change is final at once', () => {
  const cases: readonly (readonly [what: string, reply: Reply])[] = [
    ['400', status(400, { type: 'invalid_request_error' })],
    ['401', status(401, { type: 'authentication_error' })],
    ['402', status(402)],
    ['403', status(403, { type: 'permission_error' })],
    ['403 with a page', text(page, 'text/html', 403)],
    ['404', status(404, { type: 'not_found_error' })],
    ['404 with a page', text(page, 'text/html', 404)],
    ['422', status(422)],
    ['429 of an empty account', status(429, { type: 'insufficient_quota' })],
    ['400 of an empty account', status(400, { message: 'Your credit balance is too low' })],
  ];
  for (const format of wireFormats) {
    test.each(cases)(`${format.name}: %s`, async (_what, reply) => {
      const { result, requests, events } = await play(format, [reply], { attributes: 'retry_policy=none, ' });
      expect(result.status).toBe('fail');
      expect(requests).toHaveLength(1);
      expect(eventsOf(events, 'RequestRetrying')).toEqual([]);
      expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'terminal' });
    });
  }

  test('a daily limit of Gemini is final, one of a minute is waited for', async () => {
    const quota = (id: string) =>
      JSON.stringify({
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota, please check your plan and billing details.',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: id }] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '38.5s' },
          ],
        },
      });
    const daily = await play(gemini, [status(429, { body: quota('GenerateRequestsPerDayPerProject') })]);
    expect(daily.requests).toHaveLength(1);
    const [first = daily] = [
      await play(gemini, [
        status(429, { body: quota('GenerateRequestsPerMinutePerProject') }),
        ...conversation(gemini),
      ]),
    ];
    expect(first.result.status).toBe('success');
    expect(eventsOf(first.events, 'RequestRetrying').map(({ delay }) => delay)).toEqual([38_500]);
  });
});

describe('122: a message names the server, what it did, and what to do', () => {
  const later = 'run `attractor resume` later, or name another model in `llm_fallback`';
  const request = `the request to anthropic/claude-sonnet-4-5 at ${host} failed`;
  const setting = String.raw`\`providers\.anthropic\.base_url\` \(http://${host}/v1\)`;
  test.each<readonly [what: string, reply: Reply, message: string]>([
    [
      'a web page',
      text(page),
      `${request}: the server sent a web page: "Access denied"; is ${setting} right, or does a proxy answer in its place\\?`,
    ],
    [
      'a refused web page',
      text(page, 'text/html', 403),
      `${request} with HTTP 403: the server sent a web page: "Access denied"; is ${setting} right, or does a proxy answer in its place\\?`,
    ],
    [
      'garbage',
      text('{"what": "is'),
      `${request}: the server sent something that is not a reply of a model: it begins with .*; is ${setting} right, .*`,
    ],
    ['a reset', resets, `${request}: the connection broke: .*; look at the network, or ${later}`],
    [
      '401',
      status(401, { message: 'invalid x-api-key' }),
      `${request} with HTTP 401: invalid x-api-key; check the API key`,
    ],
    [
      '403',
      status(403, { message: 'not yours' }),
      `${request} with HTTP 403: not yours; check the API key, and whether it may use this model`,
    ],
    [
      '404',
      status(404, { message: 'model: clod' }),
      `${request} with HTTP 404: model: clod; check the name of the model, and ${setting}`,
    ],
    [
      '429',
      status(429, { message: 'slow down' }),
      `${request} with HTTP 429: slow down; fewer stages at a time \\(\`max_parallel\`\\) need fewer requests; otherwise ${later}`,
    ],
    ['529', status(529, { message: 'Overloaded' }), `${request} with HTTP 529: Overloaded; ${later}`],
    ['500', status(500, { message: 'oops' }), `${request} with HTTP 500: oops; ${later}`],
    [
      'no credit',
      status(400, { message: 'Your credit balance is too low to access the API' }),
      `${request} with HTTP 400: the account has used up its quota: Your credit balance is too low to access the API; add credit or raise the limit with the provider, or use another model`,
    ],
  ])('%s', async (_what, reply, message) => {
    const { result } = await play(anthropic, [reply], once);
    expect(result.failure_reason).toMatch(new RegExp(`^${message}$`));
  });

  test('a server that is not there', async () => {
    const { url } = await replyServer(chat, [resets], { isClosed: true });
    const providers = new Map([['gone', { base_url: `${url}/v1` }]]);
    const { result } = await play({ ...chat, attributes: 'llm_model="gone/llama"' }, conversation(chat), {
      settings: { providers, ai: { request_retries: 0 } },
    });
    expect(result.failure_reason).toMatch(
      /^the request to gone\/llama at 127\.0\.0\.1:\d+ failed: nothing listens there: .*; is the server running, and `providers\.gone\.base_url` \(http:\/\/127\.0\.0\.1:\d+\/v1\) right\?$/,
    );
  });

  test('how often it was asked', async () => {
    const { result, requests } = await play(anthropic, [status(529, { message: 'Overloaded' })]);
    expect(requests).toHaveLength(6);
    expect(result.failure_reason).toMatch(/ failed 6 times, the last time with HTTP 529: Overloaded; /);
  });
});

describe('122: a pause that the server asks for', () => {
  test.each<readonly [what: string, headers: Readonly<Record<string, string>>, delay: number]>([
    ['in seconds', { 'retry-after': '20' }, 20_000],
    ['of five minutes', { 'retry-after': '300' }, 300_000],
    ['in milliseconds', { 'retry-after-ms': '4321' }, 4321],
    [
      'as a date, on the clock of the server',
      { date: 'Thu, 01 Jan 2015 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2015 00:00:44 GMT' },
      44_000,
    ],
    [
      'that is over',
      { date: 'Thu, 01 Jan 2015 00:00:44 GMT', 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' },
      2000,
    ],
    ['shorter than ours', { 'retry-after': '0' }, 2000],
    ['that is negative', { 'retry-after': '-5' }, 2000],
    ['that is garbage', { 'retry-after': 'soon' }, 2000],
  ])('%s', async (_what, headers, delay) => {
    const { result, events } = await play(anthropic, [status(429, { headers }), ...conversation(anthropic)]);
    expect(result.status).toBe('success');
    expect(eventsOf(events, 'RequestRetrying').map((retry) => retry.delay)).toEqual([delay]);
  });

  test.each(['600', '100000', 'Infinity'])('of %s s is left to the retries of the stage', async (seconds) => {
    const refusal = status(429, { headers: { 'retry-after': seconds } });
    const { events, requests, result } = await play(anthropic, [refusal]);
    expect(requests).toHaveLength(1);
    const [failed] = eventsOf(events, 'StageFailed');
    const wait = Math.min(Number(seconds), 3600) * 1000;
    expect(failed?.outcome).toMatchObject({ retryable: true, retry_after_ms: wait });
    expect(result.failure_reason).toContain(
      `; the server asks to wait ${wait === 600_000 ? '10 min' : '1 h'}; `,
    );
  });
});

describe('122: silence', () => {
  const quick = { sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 40)) };

  test.each<readonly [what: string, begun: readonly object[]]>([
    ['after the headers', []],
    ['in the middle', anthropic.reply(1, 'I was about to').slice(0, 3)],
  ])('%s ends the request, which is made again', async (_what, begun) => {
    const replies = [fallsSilent(begun), ...conversation(anthropic)];
    const { result, events, directory } = await play(anthropic, replies, { ports: quick });
    expect(result.failure_reason).toBeUndefined();
    expect(fileOf(directory, 'work', 'response.md')).toBe(answer);
    expect(eventsOf(events, 'RequestRetrying')).toMatchObject([
      { reason: '10 min of silence', discards_text: begun.length > 0 },
    ]);
    // What the broken request has told is counted.
    expect(eventsOf(events, 'ModelUsed')).toHaveLength(begun.length > 0 ? 4 : 3);
  });

  test('says how to allow more of it', async () => {
    const { result } = await play(anthropic, [fallsSilent()], {
      ports: quick,
      settings: { ai: { idle_timeout: 90, request_retries: 0 } },
    });
    expect(result.failure_reason).toMatch(
      /failed: the server sent nothing for 1 min 30 s; if it needs more time, raise `ai\.idle_timeout` in the configuration$/,
    );
  });
});

describe('122: a pause between two requests', () => {
  const refusal = status(429, { headers: { 'retry-after': '200' } });

  test('is ended by the timeout of the stage', async () => {
    let isPausing = false;
    const { result, requests } = await play(anthropic, [refusal], {
      attributes: 'timeout=60s, ',
      setup: {
        clock: virtualClock({ mayPass: () => isPausing }),
        onEvent: (event) => {
          isPausing ||= event.type === 'RequestRetrying';
        },
      },
    });
    expect(result.failure_reason).toContain('timeout after 60s');
    expect(requests).toHaveLength(1);
  });

  test('is ended by cancelling the run', async () => {
    const stop = new AbortController();
    const clock = virtualClock({ mayPass: () => false });
    const { result, requests } = await play(anthropic, [refusal], {
      setup: {
        clock,
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type === 'RequestRetrying') stop.abort();
        },
      },
    });
    expect(result.status).toBe('cancelled');
    expect(requests).toHaveLength(1);
  });

  test('is not begun without a budget', async () => {
    const begun = anthropic.reply(1, 'Half').slice(0, 3);
    const error = anthropic.error('overloaded_error', 'Overloaded');
    const { result, events, requests } = await play(anthropic, [streams([...begun, error])], {
      attributes: 'budget_tokens=7, ',
    });
    expect(result.status).toBe('paused');
    expect(requests).toHaveLength(1);
    expect(eventsOf(events, 'RequestRetrying')).toEqual([]);
  });
});
