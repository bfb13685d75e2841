import { describe, expect, test } from 'vitest';
import type { ModelAddress } from '../../src/backends/ai/find-provider.js';
import { probeModel } from '../../src/backends/ai/probe-model.js';
import { systemClock } from '../../src/run/driver/clock.js';
import { probeModels } from '../../src/setup/probe-models.js';
import { mockModels } from '../support/mock-models.js';
import { virtualClock } from '../support/virtual-clock.js';

const address: ModelAddress = {
  provider: 'anthropic',
  kind: 'anthropic',
  model: 'claude-sonnet-4-5',
  baseUrl: undefined,
  apiKey: 'key',
  headers: {},
};

describe('121: one tiny request to each model', () => {
  test('a provider that says nothing is given up after ten seconds, and its request is stopped', async () => {
    let stopped = false;
    const silent = (_: ModelAddress, signal: AbortSignal) =>
      new Promise<void>(() => signal.addEventListener('abort', () => (stopped = true)));
    const [probe] = await probeModels([address], silent, virtualClock());
    expect(probe).toEqual({
      model: 'anthropic/claude-sonnet-4-5',
      state: 'failed',
      milliseconds: 10_000,
      problem: 'no answer within 10 s',
    });
    expect(stopped).toBe(true);
  });

  test('a refusal is shown as it is', async () => {
    const refusing = () => Promise.reject(new Error('HTTP 401; check the API key'));
    expect(await probeModels([address], refusing, virtualClock())).toMatchObject([
      { state: 'failed', problem: 'HTTP 401; check the API key' },
    ]);
  });

  test.each([
    { kind: 'anthropic', path: '/v1', tokens: 1 },
    { kind: 'openai', path: '/v1', tokens: 16 },
    { kind: 'google', path: '/v1beta', tokens: 1 },
    { kind: 'openai-compatible', path: '/v1', tokens: 1 },
  ] as const)('$kind answers, with at most $tokens tokens', async ({ kind, path, tokens }) => {
    const models = await mockModels([{ response: { content: 'Yes', finishReason: 'length' } as never }]);
    const asked = { ...address, kind, baseUrl: `${models.url}${path}` };
    expect(await probeModels([asked], probeModel, systemClock)).toMatchObject([{ state: 'ok' }]);
    const [request] = models.requests();
    expect(request?.body).toMatchObject({ max_tokens: tokens });
  });

  test('a model that the provider does not know', async () => {
    const models = await mockModels([]);
    const [probe] = await probeModels([{ ...address, baseUrl: `${models.url}/v1` }], probeModel, systemClock);
    expect(probe).toMatchObject({ state: 'failed', problem: expect.stringContaining('HTTP 404') });
  });
});
