import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ProviderSettings } from '../../../src/backends/settings.js';
import { eventStream } from '../../support/wire-server.js';

/** A format of the wire, in which a conversation of three requests is served: two tool calls, then the answer. */
export interface WireFormat {
  readonly name: string;
  readonly attributes: string;
  /** Settings and variables that lead requests to a server. */
  options(url: string): {
    readonly variables?: Readonly<Record<string, string>>;
    readonly providers?: readonly (readonly [string, ProviderSettings])[];
  };
  /** A reply as events; text and tool call come in several. The number makes ids unique. */
  reply(
    number: number,
    text: string,
    call?: { readonly name: string; readonly input: object },
  ): readonly object[];
  /** An error of the provider, in its shape. */
  error(type: string, message: string): object;
}

const usage = { input: 7, output: 3 };
/** What a conversation costs, as events say it. */
export const usageOfConversation = {
  requests: 3,
  input_tokens: 3 * usage.input,
  output_tokens: 3 * usage.output,
};

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

export const wireFormats: readonly WireFormat[] = [
  {
    name: 'Anthropic',
    attributes: 'llm_model="claude-sonnet-4-5"',
    options: (url) => ({ variables: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k' } }),
    reply(number, text, call) {
      const { input: input_tokens, output: output_tokens } = usage;
      const message = { id: `m${number}`, type: 'message', role: 'assistant', content: [], model: 'c' };
      return [
        { type: 'message_start', message: { ...message, usage: { input_tokens, output_tokens: 0 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...halves(text).map((part) => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'text_delta', text: part },
        })),
        { type: 'content_block_stop', index: 0 },
        ...(call === undefined
          ? []
          : [
              {
                type: 'content_block_start',
                index: 1,
                content_block: { type: 'tool_use', id: `t${number}`, name: call.name, input: {} },
              },
              ...halves(JSON.stringify(call.input)).map((part) => ({
                type: 'content_block_delta',
                index: 1,
                delta: { type: 'input_json_delta', partial_json: part },
              })),
              { type: 'content_block_stop', index: 1 },
            ]),
        {
          type: 'message_delta',
          delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use' },
          usage: { output_tokens },
        },
        { type: 'message_stop' },
      ];
    },
    error: (type, message) => ({ type: 'error', error: { type, message } }),
  },
  {
    name: 'OpenAI responses',
    attributes: 'llm_model="gpt-5.2"',
    options: (url) => ({ variables: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'k' } }),
    reply(number, text, call) {
      const id = `msg_${number}`;
      const message = { type: 'message', id, role: 'assistant' };
      const item = { type: 'function_call', id: `fc_${number}`, call_id: `call_${number}`, name: call?.name };
      const json = JSON.stringify(call?.input ?? {});
      return [
        { type: 'response.created', response: { id: `r${number}`, created_at: 1, model: 'gpt-5.2' } },
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { ...message, status: 'in_progress', content: [] },
        },
        ...halves(text).map((delta) => ({
          type: 'response.output_text.delta',
          item_id: id,
          output_index: 0,
          content_index: 0,
          delta,
        })),
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: {
            ...message,
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        },
        ...(call === undefined
          ? []
          : [
              {
                type: 'response.output_item.added',
                output_index: 1,
                item: { ...item, status: 'in_progress', arguments: '' },
              },
              ...halves(json).map((delta) => ({
                type: 'response.function_call_arguments.delta',
                item_id: item.id,
                output_index: 1,
                delta,
              })),
              {
                type: 'response.output_item.done',
                output_index: 1,
                item: { ...item, status: 'completed', arguments: json },
              },
            ]),
        {
          type: 'response.completed',
          response: {
            id: `r${number}`,
            status: 'completed',
            incomplete_details: null,
            usage: { input_tokens: usage.input, output_tokens: usage.output },
          },
        },
      ];
    },
    error: (type, message) => ({ type: 'error', sequence_number: 1, error: { type, code: type, message } }),
  },
  {
    name: 'Gemini',
    attributes: 'llm_model="gemini-2.5-pro"',
    options: (url) => ({ variables: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'k' } }),
    reply(_number, text, call) {
      const chunk = (part: object, more: object = {}) => ({
        candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
      });
      const usageMetadata = { promptTokenCount: usage.input, candidatesTokenCount: usage.output };
      const [first = '', last = ''] = halves(text);
      const end = { finishReason: 'STOP' };
      return call === undefined
        ? [chunk({ text: first }), { ...chunk({ text: last }, end), usageMetadata }]
        : [
            chunk({ text: first }),
            chunk({ text: last }),
            { ...chunk({ functionCall: { name: call.name, args: call.input } }, end), usageMetadata },
          ];
    },
    error: (type, message) => ({
      error: { code: type === 'UNAVAILABLE' ? 503 : 400, status: type, message },
    }),
  },
  chat('OpenAI chat', 'local'),
  chat('compatible', 'team'),
];

function chat(name: string, provider: string): WireFormat {
  return {
    name,
    attributes: `llm_model="${provider}/llama"`,
    options: (url) => ({ providers: [[provider, { base_url: `${url}/v1`, kind: 'openai-compatible' }]] }),
    reply(number, text, call) {
      const chunk = (choice: object, more: object = {}) => ({
        id: `x${number}`,
        created: 1,
        model: 'llama',
        choices: [{ index: 0, ...choice }],
        ...more,
      });
      const [first = '', last = ''] = halves(JSON.stringify(call?.input ?? {}));
      const toolCall = (more: object) => ({ tool_calls: [{ index: 0, ...more }] });
      return [
        ...halves(text).map((content) => chunk({ delta: { role: 'assistant', content } })),
        ...(call === undefined
          ? []
          : [
              chunk({
                delta: toolCall({
                  id: `c${number}`,
                  type: 'function',
                  function: { name: call.name, arguments: first },
                }),
              }),
              chunk({ delta: toolCall({ function: { arguments: last } }) }),
            ]),
        chunk(
          { delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' },
          { usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: 10 } },
        ),
      ];
    },
    error: (type, message) => ({ error: { message, type, code: type } }),
  };
}

/** How a server answers one request. */
export type Reply = (response: ServerResponse, request: IncomingMessage, format: WireFormat) => void;

/** A stream of events, whole. */
export function streams(events: readonly object[]): Reply {
  return (response, _request, format) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `${eventStream(...events)}${format.name.startsWith('Op') || format.name.startsWith('co') ? 'data: [DONE]\n\n' : ''}`,
    );
  };
}

/** A refusal. */
export function status(
  code: number,
  {
    type = 'some_error',
    message = 'refused',
    headers = {},
    body,
  }: {
    readonly type?: string;
    readonly message?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Reply {
  return (response, _request, format) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(body ?? JSON.stringify(format.error(type, message)));
  };
}

/** Any text, with HTTP 200 unless said otherwise. */
export function text(body: string, contentType = 'text/html', code = 200): Reply {
  return (response) => {
    response.writeHead(code, { 'content-type': contentType });
    response.end(body);
  };
}

/** A connection that is closed before a byte of the answer. */
export const resets: Reply = (_response, request) => void request.socket.resetAndDestroy();

/** The beginning of a stream, and then the end of the connection, with or without an end of the answer. */
export function breaksOff(events: readonly object[], how: 'reset' | 'end' = 'reset'): Reply {
  return (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (how === 'end') return void response.end(eventStream(...events));
    response.write(eventStream(...events), () => setImmediate(() => request.socket.resetAndDestroy()));
  };
}

/** Headers, a beginning, and then nothing. */
export function fallsSilent(events: readonly object[] = []): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (events.length > 0) response.write(eventStream(...events));
  };
}

/** A server on loopback that answers each request as its list says; the last answer repeats. One that is closed has only its address. */
export async function replyServer(
  format: WireFormat,
  replies: readonly Reply[],
  { isClosed = false }: { readonly isClosed?: boolean } = {},
) {
  const requests: { readonly body: unknown; readonly path: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push({ body: JSON.parse(Buffer.concat(chunks).toString('utf8')), path: request.url ?? '' });
      reply?.(response, request, format);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  if (isClosed) server.close();
  return { url: `http://127.0.0.1:${port}`, requests };
}

export const answer = 'All of it is done.';
const list = { name: 'list_files', input: { pattern: '*' } };

/** The three replies of a conversation without a fault. */
export function conversation(format: WireFormat): readonly Reply[] {
  return [
    streams(format.reply(1, 'Let me look. ', list)),
    streams(format.reply(2, 'And once more. ', list)),
    streams(format.reply(3, answer)),
  ];
}

const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>';

/** What may go wrong once. */
export interface Fault {
  readonly name: string;
  /** Words of the pause. */
  readonly after: RegExp;
  reply(format: WireFormat): Reply;
}

/** Half of the reply that would have come. */
const half = (format: WireFormat): readonly object[] => {
  const events = format.reply(9, 'Half of what it would have', list);
  return events.slice(0, Math.ceil(events.length / 2));
};

/** What may go wrong once, whatever the provider. */
export const faults: readonly Fault[] = [
  { name: '408', after: /HTTP 408/, reply: () => status(408) },
  { name: '409', after: /HTTP 409/, reply: () => status(409) },
  { name: '429', after: /HTTP 429/, reply: () => status(429, { type: 'rate_limit_error' }) },
  { name: '500', after: /HTTP 500/, reply: () => status(500) },
  { name: '502 with a page of a proxy', after: /a web page/, reply: () => text(page, 'text/html', 502) },
  { name: '503 without a body', after: /HTTP 503/, reply: () => text('', 'text/plain', 503) },
  { name: '529', after: /HTTP 529/, reply: () => status(529, { type: 'overloaded_error' }) },
  { name: 'a reset', after: /a broken connection/, reply: () => resets },
  {
    name: 'half a stream, and a reset',
    after: /a broken connection/,
    reply: (format) => breaksOff(half(format)),
  },
  {
    name: 'half a stream, and its end',
    after: /a reply that broke off|an unreadable reply/,
    reply: (format) => breaksOff(half(format), 'end'),
  },
  {
    name: 'half a stream, and an error in it',
    after: /overloaded server|HTTP 503/,
    reply: (format) => streamsWithError(format),
  },
  { name: 'half an event', after: /an unreadable reply/, reply: (format) => broken(format) },
  {
    name: 'nothing at all',
    after: /a reply that broke off|an unreadable reply/,
    reply: () => text('', 'text/event-stream'),
  },
  { name: 'garbage', after: /an unreadable reply/, reply: () => text('{"what": "is', 'application/json') },
  { name: 'an HTML page', after: /a web page/, reply: () => text(page) },
  {
    name: 'an HTML page that is called a stream',
    after: /a web page/,
    reply: () => text(page, 'text/event-stream'),
  },
];

function streamsWithError(format: WireFormat): Reply {
  const { error } = format;
  return streams([
    ...half(format),
    error(format.name === 'Gemini' ? 'UNAVAILABLE' : 'overloaded_error', 'Overloaded'),
  ]);
}

function broken(format: WireFormat): Reply {
  const [first = {}] = half(format);
  return text(`data: ${JSON.stringify(first)}\n\ndata: {"type": "cont\n\n`, 'text/event-stream');
}
