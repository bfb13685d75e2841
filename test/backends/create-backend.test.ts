import { describe, expect, test } from 'vitest';
import { createBackend } from '../../src/index.js';
import { pipeline, runPipeline } from '../engine/harness.js';
import { mockModels, says } from '../support/mock-models.js';

const dot = pipeline('a [llm_model="gpt-5.2"]; start -> a -> exit');

describe('a backend for a program', () => {
  test.each(['auto', 'ai'])('%s asks the model of the stage, and knows what it costs', async (name) => {
    const { variables } = await mockModels([
      says('hello', { usage: { input_tokens: 1000, output_tokens: 100 } }),
    ]);
    const prices = { 'gpt-5.2': { input: 1, output: 10 } };
    const backend = await createBackend(name, { variables, settings: { prices } });
    const { result } = await runPipeline(dot, { backend });
    await backend.close?.();
    expect(result.context.last_response).toBe('hello');
    expect(result.usage).toMatchObject({ requests: 1, input_tokens: 1000, cost_usd: 0.002 });
  });

  test('takes the model of its settings where a stage names none', async () => {
    const { variables, requests } = await mockModels([says('hello')]);
    const backend = await createBackend('auto', { variables, settings: { model: 'claude-sonnet-4-5' } });
    await runPipeline(pipeline('a; start -> a -> exit'), { backend });
    await backend.close?.();
    expect(requests().map(({ body }) => body.model)).toEqual(['claude-sonnet-4-5']);
  });

  test.each([
    ['ia', {}, 'createBackend: there is no backend "ia". There are: auto, ai, acp, command'],
    ['ai', { modle: 'x' }, /^createBackend: settings: .*modle/],
    ['ai', { providers: { x: { kind: 'acme' } } }, /^createBackend: settings: providers\.x\.kind: expected /],
  ])('refuses %s with %j', async (name, settings, message) => {
    await expect(createBackend(name, { settings: settings as object })).rejects.toThrow(message);
  });
});
