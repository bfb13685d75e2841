import { describe, expect, test } from 'vitest';
import { aiBackend } from '../../src/backends/ai/ai-backend.js';
import { autoBackend, oneBackend } from '../../src/backends/auto.js';
import type { Acceptance, BackendDefinition, BackendEnvironment } from '../../src/backends/backend.js';
import { chooseBackend } from '../../src/backends/choose-backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import type { BackendSettings } from '../../src/backends/settings.js';
import type { ModelChoice } from '../../src/graph/model-choice.js';
import { pipeline, runPipeline } from '../run/harness.js';

/** Backends that accept a provider, and say what they were asked to do. */
function definitions(calls: string[] = []) {
  const definition = (name: string, accepts: (model: ModelChoice) => Acceptance | undefined) =>
    ({
      name,
      summary: name,
      accepts,
      problemWith: () => undefined,
      create: () => {
        calls.push(`create ${name}`);
        return Promise.resolve({
          run: (node, _prompt, _context, { model }) => {
            calls.push(`${name} does ${node.id} with ${model.provider ?? '?'}/${model.model ?? '?'}`);
            return Promise.resolve('done');
          },
          close: () => {
            calls.push(`close ${name}`);
          },
        });
      },
    }) satisfies BackendDefinition;
  return [
    definition('agent', ({ provider }) => (provider === 'claude' ? { kind: 'ready' } : undefined)),
    definition('broken', ({ provider }) =>
      provider === 'acme' ? { kind: 'lacks', problem: 'ACME_API_KEY is not set' } : undefined,
    ),
    definition('model', ({ model }) => (model?.startsWith('gpt') ? { kind: 'ready' } : undefined)),
  ];
}

const environment = (settings: Partial<BackendSettings> = {}): BackendEnvironment => ({
  workingDirectory: '/',
  variables: {},
  settings: { ...noBackendSettings, ...settings },
});

const asks = (provider?: string, model?: string): ModelChoice => ({
  provider,
  model,
  reasoningEffort: 'high',
});

describe('where a budget holds', () => {
  const ready = { accepts: () => ({ kind: 'ready' }) as const, problemWith: () => undefined };
  const create = () => Promise.reject(new Error('not made'));
  const late = { ...ready, create, name: 'late', summary: '', lateUsage: () => 'it tells too late' };
  const early = { ...ready, create, name: 'early', summary: '' };

  test.each([
    { name: 'without one, the first', definitions: [late, early], isBudgeted: false, chosen: 'late' },
    { name: 'the first that can be stopped', definitions: [late, early], isBudgeted: true, chosen: 'early' },
    { name: 'any where none can be', definitions: [late], isBudgeted: true, chosen: 'late' },
  ])('$name', ({ definitions, isBudgeted, chosen }) => {
    const choice = chooseBackend(asks(), environment(), definitions, isBudgeted);
    expect(choice.kind === 'backend' && choice.definition.name).toBe(chosen);
  });
});

describe('the backend of a stage', () => {
  test.each([
    { name: 'by its provider', asked: asks('claude'), chosen: 'agent with claude/?' },
    { name: 'by its model', asked: asks(undefined, 'gpt-x'), chosen: 'model with ?/gpt-x' },
    { name: 'the first of two', asked: asks('claude', 'gpt-x'), chosen: 'agent with claude/gpt-x' },
    {
      name: 'by the settings, where it names nothing',
      asked: asks(),
      settings: { model: 'gpt-y' },
      chosen: 'model with ?/gpt-y',
    },
    {
      name: 'a model of the same provider from the settings',
      asked: asks('claude'),
      settings: { provider: 'claude', model: 'opus' },
      chosen: 'agent with claude/opus',
    },
    {
      name: 'but no model of another provider',
      asked: asks('claude'),
      settings: { provider: 'acme', model: 'gpt-y' },
      chosen: 'agent with claude/?',
    },
    {
      name: 'nor another provider for its model',
      asked: asks(undefined, 'gpt-x'),
      settings: { provider: 'acme' },
      chosen: 'model with ?/gpt-x',
    },
    { name: 'what one lacks', asked: asks('acme'), chosen: 'none: ACME_API_KEY is not set' },
    {
      name: 'unless another one has it',
      asked: asks('acme', 'gpt-x'),
      chosen: 'model with acme/gpt-x',
    },
    {
      name: 'an unknown provider',
      asked: asks('nobody'),
      chosen: 'none: unknown provider "nobody"',
    },
    {
      name: 'a model that says nothing',
      asked: asks(undefined, 'x1'),
      chosen: 'none: cannot tell which provider has the model "x1": name the provider too',
    },
    { name: 'nothing at all', asked: asks(), chosen: 'none: no provider and no model is named' },
    {
      name: 'a provider that there is not',
      asked: asks('anthropc'),
      chosen: 'none: unknown provider "anthropc" (did you mean "anthropic"?)',
    },
  ])('$name', ({ asked, settings, chosen }) => {
    const choice = chooseBackend(asked, environment(settings), definitions());
    const text =
      choice.kind === 'none'
        ? `none: ${choice.problem}`
        : `${choice.definition.name} with ${choice.model.provider ?? '?'}/${choice.model.model ?? '?'}`;
    expect(text).toBe(chosen);
  });
});

const dot = pipeline(
  'a [llm_provider="claude"]; b [llm_model="gpt-x"]; c [llm_provider="claude"]; d',
  'start -> a -> b -> c -> d -> exit',
);

describe('the automatic backend', () => {
  test('makes each backend once, when a stage needs it', async () => {
    const calls: string[] = [];
    const backend = autoBackend(environment(), definitions(calls));
    const { result } = await runPipeline(dot.replace('; d', '; d [llm_provider=claude]'), { backend });
    await backend.close?.();
    expect(result.status).toBe('success');
    expect(calls).toEqual([
      'create agent',
      'agent does a with claude/?',
      'create model',
      'model does b with ?/gpt-x',
      'agent does c with claude/?',
      'agent does d with claude/?',
      'close agent',
      'close model',
    ]);
  });

  test('fails a stage for which there is none', async () => {
    const backend = autoBackend(environment(), definitions());
    const { result } = await runPipeline(dot.replace('; d', '; d [max_retries=3]'), { backend });
    expect(result).toMatchObject({
      status: 'fail',
      failed_node: 'd',
      failure_reason: 'stage "d": no provider and no model is named',
      simulated_stages: [],
    });
  });

  test('fails the stage whose backend cannot be made', async () => {
    const [first, ...others] = definitions();
    const broken = { ...first, create: () => Promise.reject(new Error('no such program')) };
    const backend = autoBackend(environment(), [broken as unknown as BackendDefinition, ...others]);
    const { result } = await runPipeline(dot, { backend });
    await backend.close?.();
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a', failure_reason: 'no such program' });
  });

  test('one that is named does everything, with the model of the settings where a stage names none', async () => {
    const calls: string[] = [];
    const definition = definitions(calls).at(-1);
    if (definition === undefined) throw new Error('no definition');
    const backend = await oneBackend(definition, environment({ model: 'gpt-y' }));
    await runPipeline(dot, { backend });
    await backend.close?.();
    expect(calls).toEqual([
      'create model',
      'model does a with claude/?',
      'model does b with ?/gpt-x',
      'model does c with claude/?',
      'model does d with ?/gpt-y',
      'close model',
    ]);
  });
});

describe('the provider of a stage, by which a cluster limits it', () => {
  const place = environment({
    providers: new Map([['Local', { base_url: 'http://127.0.0.1:1' }]]),
    agents: new Map([['mine', { command: ['node'], output: 'text' }]]),
  });
  const ready = {
    ...place,
    variables: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' },
  };

  test.each([
    [asks('anthropic', 'claude-opus-4-5'), 'anthropic'],
    [asks(undefined, 'claude-opus-4-5'), 'anthropic'],
    [asks(undefined, 'openai/gpt-5.2'), 'openai'],
    [asks('Local', 'llama'), 'Local'],
    [asks('mine'), 'mine'],
    [asks('simulated'), undefined],
    [asks('nobody'), undefined],
  ])('%o: %s', (model, provider) => {
    expect(autoBackend(ready).providerOf?.({ model })).toBe(provider);
  });

  test('is the one of the settings where the stage leaves it open', async () => {
    const withDefault = { ...ready, settings: { ...ready.settings, provider: 'openai', model: 'gpt-5.2' } };
    expect(autoBackend(withDefault).providerOf?.({ model: asks() })).toBe('openai');
    const one = await oneBackend(aiBackend, withDefault);
    expect(one.providerOf?.({ model: asks() })).toBe('openai');
  });
});
