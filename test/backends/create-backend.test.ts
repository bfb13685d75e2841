import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBackend } from '../../src/index.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { mockModels, says } from '../support/mock-models.js';

const dot = pipeline('a [llm_model="gpt-5.2"]; start -> a -> exit');

const refused: readonly (readonly [name: string, settings: object, message: string | RegExp])[] = [
  ['ia', {}, 'createBackend: there is no backend "ia". Available: auto, ai, acp, command, simulate'],
  ['ai', { modle: 'x' }, /^createBackend: settings: .*modle/],
  ['ai', { providers: { x: { kind: 'acme' } } }, /^createBackend: settings: providers\.x\.kind: expected /],
  ...['resume', 'prompt', 'output'].map(
    (key) =>
      [
        'acp',
        {
          agents: { mine: { protocol: 'acp', command: ['x'], [key]: key === 'resume' ? ['x'] : 'stdin' } },
        },
        `agents.mine.${key}: an agent with the protocol \`acp\` has no \`${key}\``,
      ] as const,
  ),
  [
    'command',
    { agents: { mine: { protocol: 'command', command: ['x'], permissions: 'ask' } } },
    'agents.mine.permissions: an agent with the protocol `command` has no `permissions`',
  ],
];

describe('a backend for a program', () => {
  test.each(['auto', 'ai'])('%s asks the model of the stage, and knows what it costs', async (name) => {
    const { variables } = await mockModels([
      says('hello', { usage: { input_tokens: 1000, output_tokens: 100 } }),
    ]);
    const prices = { 'gpt-5.2': { input: 1, output: 10 } };
    const backend = await createBackend(name, { variables, settings: { prices } });
    const { result } = await runOnDisk(dot, { backend });
    await backend.close?.();
    expect(result.context.last_response).toBe('hello');
    expect(result.usage).toMatchObject({ requests: 1, input_tokens: 1000, cost_usd: 0.002 });
  });

  test('takes the model of its settings where a stage names none', async () => {
    const { variables, requests } = await mockModels([says('hello')]);
    const backend = await createBackend('auto', { variables, settings: { model: 'claude-sonnet-4-5' } });
    await runOnDisk(pipeline('a; start -> a -> exit'), { backend });
    await backend.close?.();
    expect(requests().map(({ body }) => body.model)).toEqual(['claude-sonnet-4-5']);
  });

  test('keeps its keys out of what the run writes, whatever they are called', async () => {
    const odd = 'plum-orchard-seven';
    const header = 'pear-orchard-eight';
    const { variables } = await mockModels([says(`The keys are ${odd} and ${header}.`)]);
    const settings = {
      provider: 'team',
      providers: {
        team: {
          kind: 'openai-compatible',
          api_key_env: 'ODDLY_NAMED',
          base_url: String(variables.OPENAI_BASE_URL),
          headers: { 'x-api-key': header },
        },
      },
    } as const;
    const backend = await createBackend('ai', { variables: { ...variables, ODDLY_NAMED: odd }, settings });
    const { result, directory } = await runOnDisk(dot, { backend });
    await backend.close?.();
    expect(result.failure_reason).toBeUndefined();
    expect(result.context.last_response).toBe(
      'The keys are [redacted:ODDLY_NAMED] and [redacted:x-api-key].',
    );
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(directory, name);
      if (!statSync(file).isFile()) continue;
      expect(readFileSync(file, 'utf8')).not.toMatch(/plum-orchard-seven|pear-orchard-eight/);
    }
  });

  test.each(refused)('refuses %s with %j', async (name, settings, message) => {
    await expect(createBackend(name, { settings })).rejects.toThrow(message);
  });
});
