import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { onAbort } from '../../../src/abort/abort.js';
import { type AiPorts, systemPorts } from '../../../src/backends/ai/ai-ports.js';
import { createAiBackend } from '../../../src/backends/ai/create-ai-backend.js';
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
  /** Bodies of the requests as they go over the wire. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly Headers[];
  /** A new backend, as in another process. */
  backend(): Promise<ClosableBackend>;
  /** What a run or a resume is given. */
  setup(more?: Setup): Promise<Setup>;
  run(dot: string, more?: Setup): Promise<PipelineRun>;
}

export interface BenchOptions {
  readonly settings?: Partial<BackendSettings>;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** By default time never passes for the clock for silence, and chance is in the middle. */
  readonly ports?: Partial<AiPorts>;
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
  const bodies: Record<string, unknown>[] = [];
  const headers: Headers[] = [];
  const real = systemPorts({});
  const ports: AiPorts = {
    ...real,
    sleep: (_milliseconds, signal) =>
      new Promise((_resolve, reject) => onAbort(signal, () => reject(signal.reason))),
    random: () => 0.5,
    fetch(input, init) {
      if (typeof init?.body === 'string') bodies.push(JSON.parse(init.body));
      headers.push(new Headers(init?.headers));
      return real.fetch(input, init);
    },
    ...options.ports,
  };
  const backend = async (): Promise<ClosableBackend> => {
    const variables = { ...mock.variables, ...options.variables };
    const made = createAiBackend({ workingDirectory: workspace, settings, variables }, ports);
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
  return { mock, workspace, runDirectory, settings, bodies, headers, backend, setup, run };
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
