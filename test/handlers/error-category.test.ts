import { describe, expect, test } from 'vitest';
import { categoryOf, failureOfError, isRetryable, messageOf } from '../../src/handlers/error-category.js';
import { retryAfterMs } from '../../src/handlers/retry-after.js';
import { ValidationError } from '../../src/lint/validate.js';

type Row = readonly [name: string, error: unknown];

const error = (fields: object, message = 'x'): Error => Object.assign(new Error(message), fields);
const named = (name: string, fields: object = {}): Error => error({ name, ...fields });

/** As the official clients of OpenAI and Anthropic make them: the name stays `Error`. */
class APIError extends Error {
  constructor(fields: object) {
    super('x');
    Object.assign(this, fields);
  }
}
class APIConnectionError extends APIError {}
class APIConnectionTimeoutError extends APIConnectionError {}

const anthropic = (status: number | undefined, type: string) =>
  new APIError({ status, error: { type: 'error', error: { type, message: 'x' } } });
const openai = (status: number, type: string, code: string | null) =>
  new APIError({ status, type, code, error: { type, code, message: 'x' } });
const fetchFailed = (cause: object) => new TypeError('fetch failed', { cause: error(cause) });
const axios = (fields: object) => error({ name: 'AxiosError', isAxiosError: true, ...fields });
const aiSdk = (statusCode: number, isRetryable: boolean, data?: object) =>
  named('AI_APICallError', { statusCode, isRetryable, data });

const retryable: readonly Row[] = [
  ['3.6 network errors: a connection that was reset', error({ code: 'ECONNRESET' })],
  ['refused', error({ code: 'ECONNREFUSED' })],
  ['a name that is not found', error({ code: 'ENOTFOUND' })],
  ['D network timeouts: of the system', error({ code: 'ETIMEDOUT' })],
  ['of fetch with AbortSignal.timeout', new DOMException('timed out', 'TimeoutError')],
  ['fetch: the network', fetchFailed({ code: 'ECONNREFUSED' })],
  ['fetch: undici', fetchFailed({ name: 'ConnectTimeoutError', code: 'UND_ERR_CONNECT_TIMEOUT' })],
  ['undici itself', named('HeadersTimeoutError', { code: 'UND_ERR_HEADERS_TIMEOUT' })],
  [
    'fetch: all addresses of a host',
    new TypeError('fetch failed', {
      cause: Object.assign(new AggregateError([error({ code: 'ECONNREFUSED' })]), { code: 'ECONNREFUSED' }),
    }),
  ],
  ['3.6 rate limit errors (HTTP 429)', error({ status: 429 })],
  ['3.6 server errors (HTTP 5xx): 500', error({ status: 500 })],
  ['599', error({ statusCode: 599 })],
  ['529', error({ status: 529 })],
  ['a status as text', error({ status: '503' })],
  ['408', error({ status: 408 })],
  ['D temporary service unavailability', error({ response: { status: 503 } })],
  ['3.6 provider-reported transient failures: Anthropic', anthropic(529, 'overloaded_error')],
  ['in the middle of a stream, without a status', anthropic(undefined, 'overloaded_error')],
  ['Anthropic: rate limit', anthropic(429, 'rate_limit_error')],
  ['OpenAI: rate limit', openai(429, 'tokens', 'rate_limit_exceeded')],
  ['OpenAI: server', openai(500, 'server_error', null)],
  ['OpenAI, Anthropic: no connection', new APIConnectionError({ cause: new Error('x') })],
  ['OpenAI, Anthropic: timeout', new APIConnectionTimeoutError({})],
  [
    'a provider that says so in a header',
    new APIError({ status: 409, headers: new Headers({ 'x-should-retry': 'true' }) }),
  ],
  ['AI SDK', aiSdk(503, true)],
  [
    'AI SDK: after its own retries',
    named('AI_RetryError', { reason: 'maxRetriesExceeded', lastError: aiSdk(429, true) }),
  ],
  ['AI SDK: of which only the list is there', named('AI_RetryError', { errors: [aiSdk(500, true)] })],
  ['axios: an answer', axios({ code: 'ERR_BAD_RESPONSE', response: { status: 502, data: 'x' } })],
  ['axios: no answer', axios({ code: 'ERR_NETWORK' })],
  ['axios: timeout', axios({ code: 'ECONNABORTED' })],
  ['got', named('HTTPError', { code: 'ERR_NON_2XX_3XX_RESPONSE', response: { statusCode: 504 } })],
  ['Google', error({ error: { status: 'RESOURCE_EXHAUSTED' } })],
  ['Google: a status that is a word', error({ status: 'UNAVAILABLE' })],
  [
    'AWS',
    named('ThrottlingException', {
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
      $retryable: { throttling: true },
    }),
  ],
  ['AWS without its hint', named('ThrottlingException')],
  ['a cause of a cause', new Error('a', { cause: new Error('b', { cause: error({ code: 'EPIPE' }) }) })],
  ['a cause that is not an Error', new Error('a', { cause: { code: 'UND_ERR_SOCKET' } })],
  [
    'several ways, one of which may open',
    new AggregateError([error({ status: 401 }), error({ status: 503 })]),
  ],
  ['what calls itself so', error({ retryable: true, status: 400 })],
  ['the category that it gives itself', error({ failure_category: 'retryable', status: 400 })],
];

const terminal: readonly Row[] = [
  ['3.6 authentication errors (HTTP 401)', error({ status: 401 })],
  ['3.6 authentication errors (HTTP 403)', error({ status: 403 })],
  ['3.6 bad request errors (HTTP 400)', error({ status: 400 })],
  ['404', error({ statusCode: 404 })],
  ['422', error({ response: { status: 422 } })],
  ['3.6 validation errors: zod', named('ZodError')],
  ['3.6 validation errors', named('ValidationError')],
  ['3.6 configuration errors: no key', named('AI_LoadAPIKeyError')],
  ['3.6 configuration errors: an address', fetchFailed({ code: 'ERR_INVALID_URL' })],
  ['3.6 configuration errors: a certificate', fetchFailed({ code: 'SELF_SIGNED_CERT_IN_CHAIN' })],
  [
    '3.6 configuration errors: a program that is not there',
    error({ code: 'ENOENT', syscall: 'spawn agent' }),
  ],
  ['D invalid prompt', named('AI_InvalidPromptError')],
  ['D invalid prompt: OpenAI', openai(400, 'invalid_request_error', 'context_length_exceeded')],
  ['D authentication failures: Anthropic', anthropic(401, 'authentication_error')],
  ['without a status', anthropic(undefined, 'permission_error')],
  ['D authentication failures: OpenAI', openai(401, 'invalid_request_error', 'invalid_api_key')],
  [
    'OpenAI: an account with nothing left, sent as 429',
    openai(429, 'insufficient_quota', 'insufficient_quota'),
  ],
  ['the same through the AI SDK', aiSdk(429, true, { error: { code: 'insufficient_quota' } })],
  [
    'the same through axios',
    axios({ response: { status: 429, data: { error: { code: 'insufficient_quota' } } } }),
  ],
  ['Anthropic: credit', anthropic(400, 'billing_error')],
  [
    'a provider that says so in a header',
    error({ status: 503, response: { headers: { 'X-Should-Retry': 'false' } } }),
  ],
  ['AI SDK', aiSdk(503, false)],
  [
    'AI SDK: what it did not retry',
    named('AI_RetryError', { reason: 'errorNotRetryable', lastError: aiSdk(401, false) }),
  ],
  ['Google', error({ error: { status: 'PERMISSION_DENIED' } })],
  ['AWS', named('AccessDeniedException', { $metadata: { httpStatusCode: 403 } })],
  ['several ways, all closed', new AggregateError([error({ status: 401 }), error({ status: 403 })])],
  ['what calls itself so', error({ retryable: false, status: 503 })],
];

const unknown: readonly Row[] = [
  ['an error without a sign', new Error('no idea')],
  ['a bug', new TypeError('x is not a function')],
  ['a text', 'just text'],
  ['nothing', undefined],
  ['null', null],
  ['an abort, which says nothing of the work', new DOMException('aborted', 'AbortError')],
  ['the exit code of a program', error({ status: 1, code: 1, signal: null })],
  ['a file that is not there', error({ code: 'ENOENT', syscall: 'open' })],
  ['a name that objects have of their own', error({ code: 'constructor', name: '__proto__' })],
  ['several ways, one of them unknown', new AggregateError([error({ status: 401 }), new Error('x')])],
  ['several ways, none of them', new AggregateError([])],
  ['a model that answered in the wrong form', named('AI_NoObjectGeneratedError')],
];

describe('D: every error falls into one of three categories', () => {
  describe('retryable', () => {
    test.each(retryable)('%s', (_name, thrown) => expect(categoryOf(thrown)).toBe('retryable'));
  });
  describe('terminal', () => {
    test.each(terminal)('%s', (_name, thrown) => expect(categoryOf(thrown)).toBe('terminal'));
  });
  test('pipeline: one that lint refuses', () => {
    expect(categoryOf(new ValidationError([], []))).toBe('pipeline');
    expect(isRetryable(new ValidationError([], []))).toBe(false);
  });
  describe('26: or nobody knows, which is not retryable', () => {
    test.each(unknown)('%s', (_name, thrown) => {
      expect(categoryOf(thrown)).toBeUndefined();
      expect(failureOfError(thrown)).not.toHaveProperty('retryable');
    });
  });

  test('an error that is its own cause, or cannot be looked at, is unknown', () => {
    const own = new Error('own');
    own.cause = new AggregateError([own, own]);
    expect(categoryOf(own)).toBeUndefined();
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('do not touch');
      },
    });
    expect(categoryOf(hostile)).toBeUndefined();
    expect(messageOf(hostile)).toBe('an error that cannot be described was thrown');
  });
});

describe('3.6: a predicate of the run', () => {
  const passing = error({ status: 503, headers: { 'retry-after': '2' } }, 'busy');
  test.each<[name: string, decided: boolean | undefined, failure: object]>([
    ['may refuse', false, { retryable: false, failure_category: 'terminal' }],
    [
      'may leave it to the default',
      undefined,
      { retryable: true, failure_category: 'retryable', retry_after_ms: 2000 },
    ],
    ['may allow', true, { retryable: true, failure_category: 'retryable', retry_after_ms: 2000 }],
  ])('%s', (_name, decided, failure) => {
    const asked: unknown[] = [];
    const outcome = failureOfError(passing, (one) => {
      asked.push(one);
      return decided;
    });
    expect(outcome).toEqual({ status: 'fail', failure_reason: 'busy', ...failure });
    expect(asked).toEqual([passing]);
  });

  test('may allow what the default would refuse', () => {
    expect(failureOfError(error({ status: 401 }), () => true)).toMatchObject({ retryable: true });
  });
});

describe('how long to wait', () => {
  const now = Date.UTC(2026, 0, 1);
  test.each<[name: string, thrown: unknown, wait: number | undefined]>([
    ['seconds, Headers', error({ headers: new Headers({ 'Retry-After': '30' }) }), 30_000],
    ['seconds, an object', error({ responseHeaders: { 'Retry-After': '1.5' } }), 1500],
    ['seconds, of axios', error({ response: { headers: { 'retry-after': 7 } } }), 7000],
    ['milliseconds go first', error({ headers: { 'retry-after-ms': '250', 'retry-after': '1' } }), 250],
    ['a date', error({ headers: { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' } }), 60_000],
    ['a date that is past', error({ headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' } }), 0],
    ['an hour at most', error({ headers: { 'retry-after': '999999' } }), 3_600_000],
    ['of a cause', new Error('x', { cause: error({ headers: new Map([['retry-after', '1']]) }) }), 1000],
    [
      'of the last try',
      named('AI_RetryError', { lastError: error({ responseHeaders: { 'retry-after': '1' } }) }),
      1000,
    ],
    ['nonsense', error({ headers: { 'retry-after': 'soon' } }), undefined],
    ['a negative number', error({ headers: { 'retry-after': '-1' } }), undefined],
    ['an empty one', error({ headers: { 'retry-after': '' } }), undefined],
    ['no header', error({ headers: {} }), undefined],
    ['no error', 'x', undefined],
  ])('%s', (_name, thrown, wait) => expect(retryAfterMs(thrown, now)).toBe(wait));
});

describe('the reason for people', () => {
  test.each<[name: string, thrown: unknown, message: string]>([
    ['a message', new Error('no key'), 'no key'],
    ['a text', 'boom', 'boom'],
    ['nothing', undefined, 'undefined'],
    ['an error without a message', new RangeError(), 'RangeError'],
    [
      'the cause, where the real reason is',
      fetchFailed({ message: 'connect ECONNREFUSED ::1:80' }),
      'fetch failed: connect ECONNREFUSED ::1:80',
    ],
    ['a cause that is repeated already', new Error('failed: no', { cause: new Error('no') }), 'failed: no'],
    ['several errors', new AggregateError([new Error('a'), new Error('b'), new Error('a')]), 'a; b'],
    ['an object with a message', { message: 'quota' }, 'quota'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['an object without anything', Object.create(null), '{}'],
  ])('%s', (_name, thrown, message) => expect(messageOf(thrown)).toBe(message));

  test('is never endless', () => {
    const own = new Error('own');
    own.cause = own;
    expect(messageOf(own)).toBe('own');
  });
});
