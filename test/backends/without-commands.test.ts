import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aiBackend } from '../../src/backends/ai/ai-backend.js';
import { autoBackend, oneBackend } from '../../src/backends/auto.js';
import type { BackendEnvironment } from '../../src/backends/backend.js';
import { chooseBackend } from '../../src/backends/choose-backend.js';
import { builtInBackends } from '../../src/backends/index.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { calls, mockModels, says } from '../support/mock-models.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const environment = (more: Partial<BackendEnvironment> = {}): BackendEnvironment => ({
  workingDirectory: '/',
  variables: { ANTHROPIC_API_KEY: 'sk-ant-test-0123456789' },
  settings: noBackendSettings,
  mayRunCommands: false,
  ...more,
});
const asks = (provider?: string, model?: string) => ({ provider, model, reasoningEffort: 'high' });

describe('§9.5 where no commands may be run, a coding agent', () => {
  test.each(['claude-code', 'codex', 'gemini-cli', 'opencode'])('is not chosen: %s', (provider) => {
    const choice = chooseBackend(asks(provider), environment());
    expect(choice).toMatchObject({ kind: 'none', isRefused: true });
    expect(choice.kind === 'none' && choice.problem).toContain(`"${provider}" is a coding agent`);
  });

  test.each([
    ['one of the configuration', asks('mine')],
    ['one of all stages', asks(undefined, undefined)],
  ])('is not chosen: %s', (_what, model) => {
    const agents = new Map([['mine', { protocol: 'command' as const, command: ['true'] }]]);
    const settings = { ...noBackendSettings, agents, provider: 'mine' };
    expect(chooseBackend(model, environment({ settings }))).toMatchObject({ isRefused: true });
    const allowed = environment({ settings, mayRunCommands: true, variables: { PATH: process.env.PATH } });
    expect(chooseBackend(model, allowed)).toMatchObject({ kind: 'backend', definition: { name: 'command' } });
  });

  test('is no matter for models', () => {
    const choice = chooseBackend(asks('anthropic', 'claude-sonnet-4-5'), environment());
    expect(choice).toMatchObject({ kind: 'backend', definition: { name: 'ai' } });
  });

  test('fails its stage for good', async () => {
    const backend = autoBackend(environment());
    const dot = pipeline('a [llm_provider=codex, max_retries=3]', 'start -> a -> exit');
    const { result, events } = await runOnDisk(dot, { backend });
    await backend.close?.();
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
    expect(result.failure_reason).toContain('"codex" is a coding agent');
    expect(events.map(({ type }) => type)).not.toContain('StageRetrying');
  });

  test.each(builtInBackends.filter(({ runsPrograms }) => runsPrograms === true).map(({ name }) => name))(
    'is not a backend for all: %s',
    async (name) => {
      const definition = builtInBackends.find((one) => one.name === name);
      if (definition === undefined) throw new Error('it is there');
      await expect(oneBackend(definition, environment())).rejects.toMatchObject({ code: 'usage' });
    },
  );
});

describe('§9.5 where no commands may be run, a model', () => {
  const model = 'llm_model="claude-sonnet-4-5"';

  async function ask(attributes: string, script: Parameters<typeof mockModels>[0], graph = '') {
    const mock = await mockModels(script);
    const runDirectory = path.join(temporaryDirectory(), 'run');
    // As a server has it: the place of the run is a part of its directory.
    const workingDirectory = path.join(runDirectory, 'work-place');
    mkdirSync(workingDirectory, { recursive: true });
    const backend = await aiBackend.create(environment({ workingDirectory, variables: mock.variables }));
    const dot = pipeline(graph, `a [prompt="Go", ${model}${attributes}]`, 'start -> a -> exit');
    const { result } = await runOnDisk(dot, { backend, workingDirectory, runDirectory });
    await backend.close?.();
    return { result, workingDirectory, requests: mock.requests() };
  }

  test('has no tool for them, and gets none by naming it', async () => {
    const { result, requests, workingDirectory } = await ask('', [
      calls(['run_command', { command: 'touch proof' }]),
      says('Then not.'),
    ]);
    const names = requests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(names).toContain('write_file');
    expect(names).not.toContain('run_command');
    expect(result.status).toBe('success');
    expect(existsSync(path.join(workingDirectory, 'proof'))).toBe(false);
  });

  test('does not get it where the stage names it', async () => {
    const { result, requests } = await ask(', tools="run_command", max_retries=3', [says('x')]);
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
    expect(result.failure_reason).toContain('names run_command, but this pipeline may not run commands');
    expect(requests).toEqual([]);
  });

  test.each([
    ['its stage', ', tool_hooks.pre="touch proof"', ''],
    ['the pipeline', '', 'graph ["tool_hooks.post"="touch proof"]'],
  ])('is not asked where %s has hooks', async (_whose, attributes, graph) => {
    const { result, requests, workingDirectory } = await ask(
      attributes,
      [calls(['list_files', { path: '.' }]), says('x')],
      graph,
    );
    expect(result).toMatchObject({ status: 'fail', failed_node: 'a' });
    expect(result.failure_reason).toContain('"a" has tool hooks, which are commands');
    expect(requests).toEqual([]);
    expect(existsSync(path.join(workingDirectory, 'proof'))).toBe(false);
  });

  test('writes files in its place, and none of the run around it', async () => {
    const { result, workingDirectory } = await ask('', [
      calls(['write_file', { path: 'notes.md', content: 'noted' }]),
      calls(['write_file', { path: '../pipeline.dot', content: 'mine' }]),
      says('Done.'),
    ]);
    expect(result.status).toBe('success');
    expect(readFileSync(path.join(workingDirectory, 'notes.md'), 'utf8')).toBe('noted');
    expect(readFileSync(path.join(workingDirectory, '../pipeline.dot'), 'utf8')).not.toBe('mine');
  });
});
