import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith, startAttractor } from '../integration/process/attractor.js';
import { calls, crawls, type MockTurn, mockModels, says } from '../support/mock-models.js';
import { processesWith } from '../support/processes.js';
import { agentPath, whyNotStartable } from './installed-agents.js';

// The plug of a machine is pulled while a real agent is in the middle of its work.

interface RealAgent {
  readonly name: string;
  readonly backend: 'acp' | 'command';
  readonly program: string;
  readonly model: string;
  /** Reads a file, with the agent's own tool. */
  readonly read: readonly [tool: string, input: object];
  /** What points it at the mock, in a home of its own. */
  prepare(url: string, home: string): Readonly<Record<string, string>>;
}

const claude = (url: string) => ({
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_BASE_URL: url,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '',
});

function codex(url: string, home: string) {
  mkdirSync(path.join(home, '.codex'));
  const mock = {
    ...{ name: 'mock', base_url: `${url}/v1`, env_key: 'MOCK_KEY', wire_api: 'responses' },
    ...{ request_max_retries: 0, stream_max_retries: 0 },
  };
  const values = Object.entries(mock).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(
    path.join(home, '.codex/config.toml'),
    `model_provider = "mock"\n[model_providers.mock]\n${values.join('')}`,
  );
  const config = { model_provider: 'mock', model_providers: { mock } };
  return { MOCK_KEY: 'key', OPENAI_API_KEY: 'key', NO_BROWSER: '1', CODEX_CONFIG: JSON.stringify(config) };
}

function gemini(url: string, home: string) {
  mkdirSync(path.join(home, '.gemini'));
  const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
  writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
  return { GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url };
}

const agents: readonly RealAgent[] = [
  {
    name: 'claude-code',
    backend: 'acp',
    program: 'claude-agent-acp',
    model: 'sonnet',
    read: ['Read', { file_path: 'note.txt' }],
    prepare: claude,
  },
  {
    name: 'claude-code',
    backend: 'command',
    program: 'claude',
    model: 'claude-sonnet-4-5',
    read: ['Read', { file_path: 'note.txt' }],
    prepare: claude,
  },
  {
    name: 'codex',
    backend: 'acp',
    program: 'codex-acp',
    model: 'gpt-5.1-codex',
    read: ['exec_command', { cmd: 'cat note.txt' }],
    prepare: codex,
  },
  {
    name: 'codex',
    backend: 'command',
    program: 'codex',
    model: 'gpt-5.1-codex',
    read: ['exec_command', { cmd: 'cat note.txt' }],
    prepare: codex,
  },
  {
    name: 'gemini-cli',
    backend: 'acp',
    program: 'gemini',
    model: 'gemini-2.5-pro',
    read: ['read_file', { file_path: 'note.txt' }],
    prepare: gemini,
  },
  {
    name: 'gemini-cli',
    backend: 'command',
    program: 'gemini',
    model: 'gemini-2.5-pro',
    read: ['read_file', { file_path: 'note.txt' }],
    prepare: gemini,
  },
];

const pipeline = `digraph work {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [prompt="Read note.txt and sum it up"]
  start -> work -> done
}
`;

const usage = {
  ...{ input_tokens: 100, output_tokens: 10 },
  ...{ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  ...{ promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
};

for (const agent of agents) {
  const reason = whyNotStartable(agent.program);
  const because = reason === undefined ? '' : ` (skipped: ${reason})`;
  describe.skipIf(reason !== undefined)(`${agent.name} by ${agent.backend}${because}`, () => {
    test('123: leaves no process when attractor is killed, and continues its conversation when it is resumed', async () => {
      // The second turn never ends.
      const turns: readonly MockTurn[] = [
        calls(agent.read),
        crawls('word by word '.repeat(10_000), 1000),
        ...Array.from({ length: 5 }, () => says('It is about tea.', { usage })),
      ];
      const models = await mockModels(turns);
      const place = directoryWith({ 'work.dot': pipeline, 'note.txt': 'Tea is ready.\n' });
      const home = path.join(place, 'home');
      mkdirSync(home);
      const env = { ...agent.prepare(models.url, home), HOME: home, PATH: agentPath };
      const call = { cwd: place, env };
      const running = startAttractor(
        [
          'run',
          'work.dot',
          '--run-dir',
          'r',
          '--backend',
          agent.backend,
          '--provider',
          agent.name,
          '--model',
          agent.model,
        ],
        call,
      );
      await running.until('the second turn', () => models.requests().length >= 2);
      const left = () => processesWith(place);
      expect(left().length).toBeGreaterThan(1);
      running.kill('SIGKILL');
      expect((await running.finished).status).toBeNull();
      await expect.poll(left, { timeout: 20_000 }).toEqual([]);

      const before = models.requests().length;
      const resumed = await startAttractor(['resume', 'r', '--json'], call).finished;
      expect(JSON.parse(resumed.stdout), resumed.stderr).toMatchObject({ status: 'success' });
      expect(readFileSync(path.join(place, 'r/work/response.md'), 'utf8')).toBe('It is about tea.');
      const [again] = models.requests().slice(before);
      const told = JSON.stringify(again?.body.messages);
      expect(told.split('Read note.txt and sum it up')).toHaveLength(2);
      expect(told).toContain('Tea is ready.');
      await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    });
  });
}
