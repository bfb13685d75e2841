import { describe, expect, test } from 'vitest';
import { classifyFailure } from '../../../src/backends/ai/classify-failure.js';
import { shareThatFits } from '../../../src/backends/ai/too-long.js';

const server = { model: 'a/b', host: 'a', baseUrl: 'https://a', setting: 'providers.a.base_url' };

/** A refusal as the library throws it. */
function refusal(statusCode: number, message: string, body: object | string = { error: { message } }): Error {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, responseBody });
}

/** Refusals as servers have sent them, and the share of the request that fits by their numbers. */
const refusals: readonly (readonly [who: string, error: unknown, share: number])[] = [
  ['Anthropic', refusal(400, 'prompt is too long: 212302 tokens > 200000 maximum'), 0.942],
  [
    'Anthropic, with the output',
    refusal(
      400,
      'input length and `max_tokens` exceed context limit: 198000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    ),
    0.909,
  ],
  [
    'Anthropic, by bytes',
    refusal(413, 'Request exceeds the maximum size', { error: { type: 'request_too_large' } }),
    0.95,
  ],
  ['Bedrock', refusal(400, 'Input is too long for requested model.'), 0.95],
  [
    'OpenAI chat',
    refusal(
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 256000 tokens. Please reduce the length of the messages.",
      {
        error: {
          message: 'm',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    ),
    0.5,
  ],
  [
    'OpenAI responses',
    refusal(
      400,
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ),
    0.95,
  ],
  [
    'OpenAI responses, in the stream',
    { type: 'error', error: { code: 'context_length_exceeded', message: 'Too many.' } },
    0.95,
  ],
  [
    'OpenAI, more than a minute takes',
    refusal(
      429,
      'Request too large for gpt-4o in organization org-12345678 on tokens per min (TPM): Limit 30000, Requested 45000.',
    ),
    0.667,
  ],
  [
    'Groq',
    refusal(
      413,
      'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 7500',
    ),
    0.8,
  ],
  [
    'Gemini',
    refusal(400, 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'),
    0.877,
  ],
  [
    'Gemini, without a number',
    refusal(400, 'The input token count exceeds the maximum number of tokens allowed 1048576.'),
    0.95,
  ],
  [
    'Vertex',
    refusal(
      400,
      'Unable to submit request because the input token count is 40000 but model only supports up to 32768.',
    ),
    0.819,
  ],
  ['Gemini, by bytes', refusal(400, 'Request payload size exceeds the limit: 20971520 bytes.'), 0.95],
  [
    'vLLM',
    refusal(
      400,
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion).",
    ),
    0.819,
  ],
  [
    'vLLM, newer',
    refusal(
      400,
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller.',
    ),
    0.819,
  ],
  [
    'SGLang',
    refusal(400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    0.819,
  ],
  [
    'llama.cpp',
    refusal(400, 'the request exceeds the available context size (4096 tokens), try increasing it', {
      error: {
        code: 400,
        message: 'm',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      },
    }),
    0.95,
  ],
  [
    'llama.cpp, older',
    refusal(
      500,
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    ),
    0.95,
  ],
  [
    'LM Studio',
    refusal(
      400,
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    ),
    0.819,
  ],
  [
    'Mistral',
    refusal(
      400,
      'Prompt contains 35000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ),
    0.936,
  ],
  [
    'xAI',
    refusal(400, "This model's maximum prompt length is 131072 but the request contains 262144 tokens."),
    0.5,
  ],
  [
    'OpenRouter',
    refusal(
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (149000 of text input, 1000 in the output). Please reduce the length of either one.",
    ),
    0.874,
  ],
  [
    'TGI',
    refusal(
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
    ),
    0.91,
  ],
  [
    'Kimi',
    refusal(400, 'Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)'),
    0.874,
  ],
  ['MiniMax', refusal(400, 'invalid params, context window exceeds limit (2013)'), 0.95],
  ['DashScope', refusal(400, 'Range of input length should be [1, 129024]'), 0.95],
  [
    'Cerebras',
    refusal(
      400,
      'Please reduce the length of the messages or completion. Current length is 150000 while limit is 131072',
    ),
    0.874,
  ],
  ['GitHub', refusal(400, 'prompt token count of 150000 exceeds the limit of 128000'), 0.853],
  ['nginx', refusal(413, 'Request Entity Too Large', '<html><head><title>413</title></head></html>'), 0.95],
];

describe('125: a request that is refused as too long is known as that', () => {
  test.each(refusals)('by %s', (_who, error, share) => {
    const failure = classifyFailure(error, server);
    expect(failure).toMatchObject({ kind: 'too_long', category: 'terminal' });
    expect(shareThatFits(failure.said)).toBeCloseTo(share, 2);
  });

  test.each<readonly [what: string, error: unknown, kind: string]>([
    ['a rate limit', refusal(429, 'Too many tokens, please wait before trying again.'), 'rate_limit'],
    ['a wrong key', refusal(401, 'prompt is too long'), 'key'],
    ['an unknown option', refusal(400, 'Unknown parameter: context_length'), 'other'],
    [
      'a limit of the output',
      refusal(400, 'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens'),
      'other',
    ],
    ['an overloaded server', refusal(503, 'The model is overloaded'), 'overloaded'],
  ])('but not %s', (_what, error, kind) => {
    expect(classifyFailure(error, server).kind).toBe(kind);
  });

  test.each<readonly [said: string, share: number]>([
    ['', 0.95],
    ['1 > 2', 0.95],
    ['5 + 6 > 7', 0.2],
    ['100 + 900 > 200', 0.01],
    ['1,000,000 tokens > 200,000 maximum', 0.2],
    ['model-32000 of v1.200000: 50000 tokens > 40000', 0.8],
    ['9'.repeat(400), 0.95],
  ])('and the share that fits is between 0.01 and 0.95: %j', (said, share) => {
    expect(shareThatFits(said)).toBeCloseTo(share, 2);
  });
});
