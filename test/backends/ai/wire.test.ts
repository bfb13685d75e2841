import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventsOf, fileOf } from '../../run/harness.js';
import { eventStream, wireServer } from '../../support/wire-server.js';
import { bench, stage } from './bench.js';

// What providers send and the mock server cannot.

const usage = { input_tokens: 5, output_tokens: 2 };

const claudeBegins = [
  {
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'c', usage },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
];
const claudeEnds = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const claudeAnswer = eventStream(...claudeBegins, ...claudeEnds);

function claude(url: string, more: string) {
  return { variables: { ANTHROPIC_BASE_URL: url }, dot: stage(`llm_model="claude-sonnet-4-5", ${more}`) };
}

describe('App. D: an event stream', () => {
  test.each<readonly [what: string, first: string]>([
    ['that says in the middle that the provider is overloaded', eventStream(...claudeBegins, overloaded())],
    ['with an event that is not JSON', `${eventStream(...claudeBegins)}data: {"type": "content_bl\n\n`],
    [
      'with an event that is none of the provider',
      eventStream(...claudeBegins, { type: 'message_delta', delta: 5 }),
    ],
    ['that just ends', eventStream(...claudeBegins)],
    ['without anything in it', ''],
  ])('%s is tried again', async (_what, first) => {
    const server = await wireServer(first, claudeAnswer);
    const { variables, dot } = claude(server.url, 'max_retries=1');
    const { run } = await bench([], { variables });
    const { result, directory } = await run(dot);
    expect(result.failure_reason).toBeUndefined();
    expect(server.requests).toHaveLength(2);
    expect(fileOf(directory, 'work', 'response.md')).toBe('done');
  });

  test('that the provider ends with a refusal is not tried again', async () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'no such thing' } };
    const server = await wireServer(eventStream(...claudeBegins, error));
    const { variables, dot } = claude(server.url, 'max_retries=2');
    const { run } = await bench([], { variables });
    const { result } = await run(dot);
    expect(result.failure_reason).toContain('no such thing');
    expect(server.requests).toHaveLength(1);
  });
});

test('what a reply that breaks off has used counts against the budget', async () => {
  const server = await wireServer(eventStream(...claudeBegins, overloaded()), claudeAnswer);
  const { variables, dot } = claude(server.url, 'max_retries=1, budget_tokens=7');
  const { run } = await bench([], { variables });
  const { result, events } = await run(dot);
  expect(result).toMatchObject({ status: 'paused', usage: { requests: 1, ...usage } });
  expect(eventsOf(events, 'ModelUsed')).toMatchObject([{ attempt: 1, usage }]);
  expect(server.requests).toHaveLength(1);
});

test('4.5: what OpenAI calls incomplete is cut off, and continues', async () => {
  const server = await wireServer(
    openai('One, ', { type: 'response.incomplete', status: 'incomplete', reason: 'max_output_tokens' }),
    openai('two.', { type: 'response.completed', status: 'completed' }),
  );
  const { run } = await bench([], { variables: { OPENAI_BASE_URL: `${server.url}/v1` } });
  const { result, directory } = await run(stage('llm_model="gpt-5.2"'));
  expect(result.failure_reason).toBeUndefined();
  expect(fileOf(directory, 'work', 'response.md')).toBe('One, two.');
});

test('a tool call whose input is not JSON is told to the model', async () => {
  const call = { index: 0, id: 'c1', function: { name: 'write_file', arguments: '{"path": "a' } };
  const server = await wireServer(
    chat({ delta: { role: 'assistant', tool_calls: [call] } }, 'tool_calls'),
    chat({ delta: { role: 'assistant', content: 'done' } }, 'stop'),
  );
  const { run } = await bench([], {
    settings: { providers: new Map([['mine', { base_url: `${server.url}/v1` }]]) },
  });
  const { result } = await run(stage('llm_model="mine/llama"'));
  expect(result.failure_reason).toBeUndefined();
  expect(JSON.stringify(server.requests[1])).toContain('its input is not valid JSON');
});

function overloaded(): object {
  return { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
}

function openai(text: string, end: { type: string; status: string; reason?: string }): string {
  const id = `msg_${text.length}`;
  const message = { type: 'message', id, role: 'assistant', status: 'completed' };
  const details = end.reason === undefined ? null : { reason: end.reason };
  return eventStream(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5.2' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta: text },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...message, content: [{ type: 'output_text', text, annotations: [] }] },
    },
    { type: end.type, response: { id: 'r', status: end.status, incomplete_details: details, usage } },
  );
}

function chat(choice: object, finish: string): string {
  const chunk = (one: object): object => ({
    id: 'x',
    created: 1,
    model: 'llama',
    choices: [{ index: 0, ...one }],
  });
  return `${eventStream(chunk(choice), chunk({ delta: {}, finish_reason: finish }))}data: [DONE]\n\n`;
}

test('a connection that a server holds open after an error is closed', async () => {
  const replies: ServerResponse[] = [];
  const server = createServer((_request, reply) => {
    replies.push(reply);
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.write(eventStream(...claudeBegins, overloaded()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { variables, dot } = claude(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'max_retries=0',
  );
  const { run } = await bench([], { variables, settings: { ai: { request_retries: 0 } } });
  expect((await run(dot)).result.status).toBe('fail');
  await expect.poll(() => replies.map(({ closed }) => closed), { timeout: 20_000 }).toEqual([true]);
});
