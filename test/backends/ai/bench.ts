import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { aiBackend } from '../../../src/backends/ai/ai-backend.js';
import type { ClosableBackend } from '../../../src/backends/backend.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import type { BackendSettings } from '../../../src/backends/settings.js';
import { type PipelineRun, pipeline, runPipeline, type Setup } from '../../run/harness.js';
import { type MockModels, type MockScript, mockModels } from '../../support/mock-models.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { virtualClock } from '../../support/virtual-clock.js';

/** A directory with a run in it, and a model that is a mock. */
export interface Bench {
  readonly mock: MockModels;
  readonly workspace: string;
  readonly runDirectory: string;
  readonly settings: BackendSettings;
  /** A new backend, as in another process. */
  backend(): Promise<ClosableBackend>;
  /** What a run or a resume is given. */
  setup(more?: Setup): Promise<Setup>;
  run(dot: string, more?: Setup): Promise<PipelineRun>;
}

export interface BenchOptions {
  readonly settings?: Partial<BackendSettings>;
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export async function bench(script: MockScript = [], options: BenchOptions = {}): Promise<Bench> {
  const mock = await mockModels(script);
  const directory = temporaryDirectory();
  const workspace = path.join(directory, 'workspace');
  mkdirSync(workspace);
  const settings: BackendSettings = {
    ...noBackendSettings,
    providers: new Map([['local', { base_url: `${mock.url}/v1` }]]),
    ...options.settings,
  };
  const backend = async (): Promise<ClosableBackend> => {
    const made = await aiBackend.create({
      workingDirectory: workspace,
      settings,
      variables: { ...mock.variables, ...options.variables },
    });
    onTestFinished(() => made.close?.());
    return made;
  };
  const runDirectory = path.join(directory, 'run');
  const setup = async (more: Setup = {}): Promise<Setup> => ({
    backend: await backend(),
    workingDirectory: workspace,
    runDirectory,
    // Real work continues that the clock does not see.
    clock: virtualClock(),
    ...more,
  });
  const run = async (dot: string, more: Setup = {}): Promise<PipelineRun> =>
    runPipeline(dot, await setup(more));
  return { mock, workspace, runDirectory, settings, backend, setup, run };
}

/** One stage, `work`, with these attributes, and what stands after it. */
export function stage(attributes: string, ...after: readonly string[]): string {
  const rest = after.length > 0 ? after : ['work -> exit'];
  return pipeline(`work [prompt="Do the work.", ${attributes}]`, 'start -> work', ...rest);
}

/** One model of every kind of provider. */
export const models = [
  { name: 'anthropic', provider: 'anthropic', attributes: 'llm_model="claude-sonnet-4-5"' },
  { name: 'openai', provider: 'openai', attributes: 'llm_model="gpt-5.2"' },
  { name: 'google', provider: 'google', attributes: 'llm_model="gemini-2.5-pro"' },
  { name: 'openai-compatible', provider: 'local', attributes: 'llm_model="local/llama"' },
] as const;
