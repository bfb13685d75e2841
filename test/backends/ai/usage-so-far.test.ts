import { describe, expect } from 'vitest';
import { usageSoFar } from '../../../src/backends/ai/usage-so-far.js';
import type { Usage } from '../../../src/machine/usage.js';
import { testEach } from '../../run/harness.js';

const rows: readonly {
  readonly name: string;
  readonly events: readonly unknown[];
  readonly usage: Omit<Usage, 'requests'> | undefined;
}[] = [
  {
    name: 'Anthropic with its first event, and more of it with a later one',
    events: [
      {
        type: 'message_start',
        message: {
          usage: {
            ...{ input_tokens: 0, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
            output_tokens: 1,
          },
        },
      },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'x' } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 40 } },
    ],
    usage: { input_tokens: 120, output_tokens: 40, cached_input_tokens: 100, cache_write_tokens: 20 },
  },
  {
    name: 'Anthropic with its last event, if tools of the server have added to the input',
    events: [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      {
        type: 'message_delta',
        usage: { input_tokens: 900, cache_read_input_tokens: 50, output_tokens: 40 },
      },
    ],
    usage: { input_tokens: 950, output_tokens: 40, cached_input_tokens: 50 },
  },
  {
    name: 'Anthropic with its first event, if a server repeats the input as 0',
    events: [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: 'message_delta', usage: { input_tokens: 0, output_tokens: 40 } },
    ],
    usage: { input_tokens: 10, output_tokens: 40 },
  },
  {
    name: 'Anthropic in a whole message',
    events: [{ type: 'message', usage: { input_tokens: 8, output_tokens: 3 } }],
    usage: { input_tokens: 8, output_tokens: 3 },
  },
  {
    name: 'OpenAI with the last event of its responses',
    events: [
      { type: 'response.created', response: { usage: null } },
      {
        type: 'response.completed',
        response: {
          usage: {
            ...{ input_tokens: 11, output_tokens: 5 },
            input_tokens_details: { cached_tokens: 9 },
            output_tokens_details: { reasoning_tokens: 2 },
          },
        },
      },
    ],
    usage: { input_tokens: 11, output_tokens: 5, cached_input_tokens: 9, reasoning_tokens: 2 },
  },
  {
    name: 'OpenAI in a whole response',
    events: [{ object: 'response', usage: { input_tokens: 11, output_tokens: 5 } }],
    usage: { input_tokens: 11, output_tokens: 5 },
  },
  {
    name: 'Google with each event',
    events: [
      { usageMetadata: { promptTokenCount: 9 } },
      { candidates: [] },
      {
        usageMetadata: {
          ...{ promptTokenCount: 9, cachedContentTokenCount: 4 },
          ...{ candidatesTokenCount: 3, thoughtsTokenCount: 30 },
        },
      },
      { candidates: [] },
    ],
    usage: { input_tokens: 9, output_tokens: 33, cached_input_tokens: 4, reasoning_tokens: 30 },
  },
  {
    name: 'some servers with the chat interface of OpenAI',
    events: [
      { choices: [], usage: null },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } },
      {
        choices: [],
        usage: {
          ...{ prompt_tokens: 7, completion_tokens: 2 },
          prompt_tokens_details: { cached_tokens: 6 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
    ],
    usage: { input_tokens: 7, output_tokens: 2, cached_input_tokens: 6, reasoning_tokens: 1 },
  },
  {
    name: 'nobody in what is not of their kind',
    events: [
      ...[undefined, null, 5, 'usage', [], { type: 'message_start' }],
      { type: 'message_delta', usage: { output_tokens: 4 } },
      { usage: { prompt_tokens: 'many' } },
      { usage: { prompt_tokens: -1 } },
      { usageMetadata: { promptTokenCount: 0.5 } },
    ],
    usage: undefined,
  },
];

describe('what a request has used is told by', () => {
  testEach(rows, ({ events, usage }) => {
    const told = events.reduce<Usage | undefined>(usageSoFar, undefined);
    expect(told).toEqual(usage && { requests: 1, ...usage });
  });
});
