import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { findProvider } from '../../src/backends/ai/find-provider.js';
import { knownProviders } from '../../src/backends/ai/known-providers.js';
import { builtInTools } from '../../src/backends/ai/tools/index.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import { backendSettingsShape } from '../../src/backends/settings-schema.js';
import { bench } from '../backends/ai/bench.js';
import { eventsOf } from '../run/harness.js';
import { calls, says } from '../support/mock-models.js';
import { blocksOf, codeIn, readPage, tableOf } from './markdown.js';

const page = readPage('docs/models.md');
const codesOf = (head: string): readonly string[] =>
  tableOf(page, head).flatMap(([first = '']) => codeIn(first));
const settings = z.strictObject(backendSettingsShape).parse(parse(blocksOf(page, 'yaml')[0]?.text ?? ''));

describe('docs/models.md', () => {
  it('names every provider, with the variables of its key', () => {
    expect(codesOf('provider').toSorted()).toEqual([...knownProviders.keys()].toSorted());
    for (const [names = '', , keys = ''] of tableOf(page, 'provider')) {
      for (const name of codeIn(names)) expect(knownProviders.get(name)?.keyVariables).toEqual(codeIn(keys));
    }
  });

  it('says whose models are whose', () => {
    for (const [names = '', models = ''] of tableOf(page, 'provider').slice(0, 3)) {
      for (const model of codeIn(models)) {
        const reading = findProvider(
          { provider: undefined, model: model.replace('*', '-1'), reasoningEffort: 'high' },
          { settings: noBackendSettings, variables: {} },
        );
        expect(reading).toMatchObject({ kind: 'lacks' });
        const key = knownProviders.get(codeIn(names)[0] ?? '')?.keyVariables[0];
        expect(reading).toMatchObject({ problem: expect.stringContaining(key ?? 'a key') });
      }
    }
  });

  it('names every tool', () => {
    expect(codesOf('tool')).toEqual(builtInTools.map(({ name }) => name));
  });

  it('has a configuration that can be read, with every key of `ai`', () => {
    expect(settings.providers.get('team')).toMatchObject({ api_key_env: 'TEAM_API_KEY' });
    expect(Object.keys(settings.ai ?? {})).toEqual(codesOf('key of `ai`'));
    const reading = findProvider(
      { provider: settings.provider, model: settings.model, reasoningEffort: 'high' },
      { settings, variables: { TEAM_API_KEY: 'key' } },
    );
    expect(reading).toMatchObject({ kind: 'found', address: { baseUrl: 'https://models.example.com/v1' } });
  });

  it('has a pipeline that runs as it says', async () => {
    const [dot] = blocksOf(page, 'dot');
    const verdict = { outcome: 'success', preferred_label: 'Good' };
    const { run, workspace, mock } = await bench(
      [
        calls(['write_file', { path: 'hello.txt', content: 'Go away!\n' }]),
        says('Written.'),
        calls(['edit_file', { path: 'hello.txt', old_text: 'Go away!', new_text: 'Welcome!' }]),
        calls(['report_outcome', verdict]),
      ],
      { variables: {}, settings: {} },
    );
    const ollama = new Map([['ollama', { base_url: `${mock.url}/v1` }]]);
    const local = await bench([], { settings: { providers: ollama }, variables: mock.variables });
    const { result, events } = await run(dot?.text ?? '', { backend: await local.backend() });
    expect(result.failure_reason).toBeUndefined();
    expect(result.path).toEqual(['start', 'write', 'review', 'done']);
    expect(readFileSync(path.join(workspace, 'hello.txt'), 'utf8')).toBe('Welcome!\n');
    expect(eventsOf(events, 'ModelUsed').map(({ provider }) => provider)).toEqual([
      ...['anthropic', 'anthropic', 'ollama', 'ollama'],
    ]);
  });

  it('names the variables of hooks', async () => {
    const { run, workspace } = await bench([calls(['list_files', {}]), says('done')]);
    writeFileSync(path.join(workspace, 'x'), '');
    await run(
      'digraph g { start [shape=Mdiamond] end [shape=Msquare] a [prompt=p, llm_model="claude-x", "tool_hooks.post"="env > hook"] start -> a -> end }',
    );
    const variables = readFileSync(path.join(workspace, 'hook'), 'utf8');
    for (const name of codesOf('variable')) expect(variables).toContain(`${name}=`);
  });
});
