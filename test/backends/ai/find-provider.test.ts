import { describe, expect, test } from 'vitest';
import { findProvider } from '../../../src/backends/ai/find-provider.js';
import { reasoningOptions } from '../../../src/backends/ai/reasoning-options.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import type { BackendSettings, ProviderSettings } from '../../../src/backends/settings.js';

const keys = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  OPENROUTER_API_KEY: 'r',
  MINE_KEY: 'm',
};

const providers: BackendSettings['providers'] = new Map<string, ProviderSettings>([
  [
    'Mine',
    { kind: 'openai', base_url: 'http://mine/v1', api_key_env: 'MINE_KEY', headers: { 'x-team': 't' } },
  ],
  ['open', { base_url: 'http://open/v1' }],
  ['lost', { kind: 'openai-compatible' }],
  ['__proto__', { base_url: 'http://proto/v1' }],
]);

const settings: BackendSettings = { ...noBackendSettings, providers };

function find(provider: string | undefined, model: string | undefined, variables: object = keys) {
  const reading = findProvider(
    { provider, model, reasoningEffort: 'high' },
    { settings, variables: { ...variables } },
  );
  return reading.kind === 'found' ? reading.address : reading.problem;
}

describe('8.5: the provider of a model', () => {
  test.each<readonly [provider: string | undefined, model: string | undefined, found: object | RegExp]>([
    [
      undefined,
      'claude-opus-4-6',
      { provider: 'anthropic', kind: 'anthropic', apiKey: 'a', baseUrl: undefined },
    ],
    [undefined, 'gpt-5.2', { provider: 'openai', kind: 'openai', apiKey: 'o' }],
    [undefined, 'o3', { provider: 'openai' }],
    [undefined, 'o4-mini', { provider: 'openai' }],
    [undefined, 'codex-mini-latest', { provider: 'openai' }],
    [undefined, 'chatgpt-4o-latest', { provider: 'openai' }],
    [undefined, 'gemini-3-pro', { provider: 'google', kind: 'google', apiKey: 'g' }],
    [undefined, 'olmo-2', /which provider has the model "olmo-2"/],
    [undefined, 'anthropic/claude-x', { provider: 'anthropic', model: 'claude-x' }],
    [
      undefined,
      'ollama/qwen3:8b',
      { kind: 'openai-compatible', baseUrl: 'http://localhost:11434/v1', model: 'qwen3:8b' },
    ],
    [
      undefined,
      'openrouter/anthropic/claude-x',
      { provider: 'openrouter', model: 'anthropic/claude-x', apiKey: 'r' },
    ],
    ['openrouter', 'anthropic/claude-x', { provider: 'openrouter', model: 'anthropic/claude-x' }],
    ['openai', 'openai/gpt-5', { provider: 'openai', model: 'gpt-5' }],
    ['OpenAI', 'gpt-5', { provider: 'openai', model: 'gpt-5' }],
    ['gemini', 'gemini-3-pro', { provider: 'gemini', kind: 'google' }],
    ['vllm', 'm', { baseUrl: 'http://localhost:8000/v1' }],
    ['lmstudio', 'm', { baseUrl: 'http://localhost:1234/v1' }],
    ['Mine', 'gpt-5', { kind: 'openai', baseUrl: 'http://mine/v1', apiKey: 'm', headers: { 'x-team': 't' } }],
    ['open', 'm', { kind: 'openai-compatible', apiKey: undefined }],
    ['__proto__', 'm', { baseUrl: 'http://proto/v1' }],
    ['constructor', 'm', /no provider "constructor"/],
    ['lost', 'm', /"providers.lost.base_url" is not set/],
    ['opnrouter', 'm', /did you mean "openrouter"/],
    ['openai', undefined, /set llm_model/],
    [undefined, undefined, /no model is named/],
  ])('%s, %s', (provider, model, found) => {
    const reading = find(provider, model);
    if (found instanceof RegExp) expect(reading).toMatch(found);
    else expect(reading).toMatchObject(found);
  });

  test.each<readonly [variables: object, model: string, found: object | RegExp]>([
    [{}, 'claude-x', /ANTHROPIC_API_KEY is not set/],
    [{ ANTHROPIC_API_KEY: ' ' }, 'claude-x', /ANTHROPIC_API_KEY is not set/],
    [{ OPENAI_API_KEY: 'o' }, 'Mine/gpt-5', /MINE_KEY is not set/],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: '1', GEMINI_API_KEY: '2' }, 'gemini-3', { apiKey: '1' }],
    [{ ...keys, ANTHROPIC_BASE_URL: 'http://proxy/' }, 'claude-x', { baseUrl: 'http://proxy/v1' }],
    [{ ...keys, ANTHROPIC_BASE_URL: 'http://proxy/v1' }, 'claude-x', { baseUrl: 'http://proxy/v1' }],
    [{ ...keys, GOOGLE_GEMINI_BASE_URL: 'http://proxy' }, 'gemini-3', { baseUrl: 'http://proxy/v1beta' }],
    [{ OLLAMA_HOST: '0.0.0.0' }, 'ollama/m', { baseUrl: 'http://127.0.0.1:11434/v1' }],
    [{ OLLAMA_HOST: 'gpu:9000' }, 'ollama/m', { baseUrl: 'http://gpu:9000/v1' }],
    [{ OLLAMA_HOST: 'https://gpu' }, 'ollama/m', { baseUrl: 'https://gpu/v1' }],
  ])('with %j, %s', (variables, model, found) => {
    const reading = find(undefined, model, variables);
    if (found instanceof RegExp) expect(reading).toMatch(found);
    else expect(reading).toMatchObject(found);
  });
});

describe('47a: reasoning_effort in the words of the provider', () => {
  const enabled = (budgetTokens: number) => ({ type: 'enabled', budgetTokens });
  test.each<
    readonly [
      kind: Parameters<typeof reasoningOptions>[0]['kind'],
      model: string,
      effort: string,
      options: object | RegExp,
    ]
  >([
    ['anthropic', 'claude-3-5-haiku-latest', 'high', {}],
    ['anthropic', 'claude-3-7-sonnet-latest', 'low', { thinking: enabled(4096) }],
    ['anthropic', 'claude-sonnet-4-20250514', 'medium', { thinking: enabled(10_000) }],
    ['anthropic', 'claude-opus-4-1-20250805', 'high', { thinking: enabled(24_000) }],
    ['anthropic', 'claude-haiku-4-5', 'high', { thinking: enabled(24_000) }],
    ['anthropic', 'claude-opus-4-5', 'low', { thinking: enabled(4096), effort: 'low' }],
    ['anthropic', 'claude-sonnet-4-6', 'medium', { thinking: { type: 'adaptive' }, effort: 'medium' }],
    ['anthropic', 'claude-opus-5', 'max', { thinking: { type: 'adaptive' }, effort: 'max' }],
    ['anthropic', 'claude-opus-5', 'extreme', /use one of low, medium, high, xhigh, max/],
    ['anthropic', 'claude-sonnet-4-5', 'max', /use one of low, medium, high/],
    ['openai', 'gpt-4o', 'high', {}],
    ['openai', 'gpt-5-chat-latest', 'high', {}],
    ['openai', 'gpt-5.2', 'xhigh', { reasoningEffort: 'xhigh' }],
    ['openai', 'o3', 'low', { reasoningEffort: 'low' }],
    ['google', 'gemini-2.0-flash', 'high', {}],
    ['google', 'gemini-2.5-pro', 'low', { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } }],
    ['google', 'gemini-3-pro', 'high', { thinkingConfig: { thinkingLevel: 'high', includeThoughts: true } }],
    ['google', 'gemini-3-pro', 'max', /use one of minimal, low, medium, high/],
    ['openai-compatible', 'llama', 'high', {}],
  ])('%s, %s, %s', (kind, model, effort, expected) => {
    const { options, warning } = reasoningOptions({ kind, model }, effort);
    if (expected instanceof RegExp) {
      expect(warning).toMatch(expected);
      expect(options).toEqual({});
    } else {
      expect(options).toEqual(expected);
      expect(warning).toBeUndefined();
    }
  });
});
