import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { acpBackend } from '../../src/backends/acp/acp-backend.js';
import { commandBackend } from '../../src/backends/command/command-backend.js';
import { noBackendSettings } from '../../src/backends/no-settings.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { type MockModels, type MockTurn, mockModels } from '../support/mock-models.js';
import { processes } from '../support/processes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';
import { agentPath, patience, whyNotStartable } from './installed-agents.js';

/** Real agent whose requests pass through the gateway, or not. */
export interface RealAgent {
  readonly name: string;
  readonly protocol: 'acp' | 'command';
  readonly program: string;
  /** As the stage asks for it, and as the agent asks for it. */
  readonly model: string;
  readonly pricedAs: string;
  readonly keyVariable: string;
  /** Tool that runs a command, and its input. */
  readonly shell: readonly [tool: string, parameter: string];
  prepare(url: string, home: string): Readonly<Record<string, string>>;
}

const realKey = 'real-key-of-the-provider';

const claude = {
  name: 'claude-code',
  model: 'claude-sonnet-4-5',
  pricedAs: 'claude-sonnet-4-5',
  keyVariable: 'ANTHROPIC_API_KEY',
  shell: ['Bash', 'command'],
  prepare: (url: string) => ({
    ANTHROPIC_API_KEY: realKey,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '',
  }),
} as const;

const gemini = {
  name: 'gemini-cli',
  program: 'gemini',
  model: 'gemini-2.5-pro',
  pricedAs: 'gemini-2.5-pro',
  keyVariable: 'GEMINI_API_KEY',
  shell: ['run_shell_command', 'command'],
  prepare(url: string, home: string) {
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
    put(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return { GEMINI_API_KEY: realKey, GOOGLE_GEMINI_BASE_URL: url };
  },
} as const;

const codex = {
  name: 'codex',
  model: 'gpt-5.1-codex',
  pricedAs: 'gpt-5.1-codex',
  keyVariable: 'OPENAI_API_KEY',
  shell: ['exec_command', 'cmd'],
  // The built-in provider, at the address of the user.
  prepare(url: string, home: string) {
    put(path.join(home, '.codex/config.toml'), `openai_base_url = "${url}/v1"\n`);
    return { OPENAI_API_KEY: realKey, NO_BROWSER: '1' };
  },
} as const;

const opencode = {
  name: 'opencode',
  program: 'opencode',
  model: 'anthropic/claude-sonnet-4-5',
  pricedAs: 'claude-sonnet-4-5',
  keyVariable: 'ANTHROPIC_API_KEY',
  shell: ['bash', 'command'],
  prepare(url: string, home: string) {
    const config = { provider: { anthropic: { options: { baseURL: `${url}/v1` } } } };
    put(path.join(home, '.config/opencode/opencode.json'), JSON.stringify(config));
    return { ANTHROPIC_API_KEY: realKey, OPENCODE_DISABLE_AUTOUPDATE: '1' };
  },
} as const;

const pi = {
  name: 'pi',
  program: 'pi',
  model: 'anthropic/claude-sonnet-4-5',
  pricedAs: 'claude-sonnet-4-5',
  keyVariable: 'ANTHROPIC_API_KEY',
  shell: ['bash', 'command'],
  prepare(url: string, home: string) {
    const models = { providers: { anthropic: { baseUrl: url } } };
    put(path.join(home, '.pi/agent/models.json'), JSON.stringify(models));
    return { ANTHROPIC_API_KEY: realKey };
  },
} as const;

/** Real agents, by each protocol that they speak. */
const agents: readonly RealAgent[] = [
  { ...claude, protocol: 'command', program: 'claude' },
  { ...claude, protocol: 'acp', program: 'claude-agent-acp' },
  { ...gemini, protocol: 'command' },
  { ...gemini, protocol: 'acp' },
  { ...codex, protocol: 'command', program: 'codex' },
  { ...codex, protocol: 'acp', program: 'codex-acp' },
  { ...opencode, protocol: 'command' },
  { ...opencode, protocol: 'acp' },
  { ...pi, protocol: 'command' },
];

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** In the words of every provider. */
export function usage(input: number, output: number) {
  return {
    ...{ input_tokens: input, output_tokens: output },
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    ...{ promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  };
}

/** A call of the agent's shell, whatever the agent calls it. @param words said before it */
export function runs({ shell: [name, parameter] }: RealAgent, command: string, words?: string): MockTurn {
  return {
    response: ({ tools = [] }) => {
      const known = tools.map((tool) => tool.function.name);
      const tool = known.find((one) => one === name) ?? known.find((one) => one.endsWith(name)) ?? name;
      const input = { [parameter]: command, description: 'looks' };
      const toolCalls = [{ name: tool, arguments: JSON.stringify(input) }];
      return { ...(words !== undefined && { content: words }), toolCalls, usage: usage(1000, 20) };
    },
  };
}

interface Bench {
  readonly workplace: string;
  readonly models: MockModels;
  /** @param attributes more of them, of the stage and of the graph */
  run(attributes?: { readonly stage?: string; readonly graph?: string }): ReturnType<typeof runOnDisk>;
}

/** Runs a stage with a real agent, which asks a mock. */
export async function benchFor(agent: RealAgent, turns: readonly MockTurn[], gateway = true): Promise<Bench> {
  const place = temporaryDirectory();
  const [workplace, home] = [path.join(place, 'workplace'), path.join(place, 'home')];
  for (const directory of [workplace, home]) mkdirSync(directory);
  const models = await mockModels(turns);
  const env = { ...agent.prepare(models.url, home), HOME: home };
  const definition = agent.protocol === 'acp' ? acpBackend : commandBackend;
  const backend = await definition.create({
    workingDirectory: workplace,
    settings: {
      ...noBackendSettings,
      ai: { request_retries: 1 },
      agents: new Map([[agent.name, { env, ...patience, gateway }]]),
    },
    variables: { PATH: agentPath },
  });
  const run: Bench['run'] = async ({ stage = '', graph = '' } = {}) => {
    const asked = `llm_provider="${agent.name}", llm_model="${agent.model}"`;
    const played = await runOnDisk(
      pipeline(`graph [${graph}]`, `work [prompt="Look around", ${asked} ${stage}]`, 'start -> work -> exit'),
      { backend, workingDirectory: workplace, clock: virtualClock() },
    );
    const left = () => processes().filter(({ command }) => command.includes(place));
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    return played;
  };
  return { workplace, models, run };
}

/** Tests of each agent that is installed; the titles of the others say why they are skipped. @param about added to the title */
export function withEachAgent(about: string, tests: (agent: RealAgent) => void): void {
  for (const agent of agents) {
    const reason = whyNotStartable(agent.program);
    const because = reason === undefined ? '' : ` (skipped: ${reason})`;
    const way = agent.protocol === 'acp' ? 'over the Agent Client Protocol' : 'by its command line';
    describe.skipIf(reason !== undefined)(`${agent.name} ${way}${about}${because}`, () => tests(agent));
  }
}
