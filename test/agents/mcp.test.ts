import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { codingAgents } from '../../src/cli/package/agents.js';
import { prepareAgents } from '../../src/cli/package/prepare-agents.js';
import { type MockTurn, mockModels } from '../support/mock-models.js';
import { withNamespace } from '../support/namespaced-tools.js';
import { processesWith } from '../support/processes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { agentPath, whyNotStartable } from './installed-agents.js';

const attractor = path.join(import.meta.dirname, '../../bin/attractor.js');

interface Agent {
  /** Of `attractor init --agent`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** What points it at the mock, in a home of its own; `project` is trusted. */
  prepare(url: string, home: string, project: string): Promise<Variables> | Variables;
}

type Variables = Readonly<Record<string, string>>;

const task = 'Repair the pipeline review.dot.';

const agents: readonly Agent[] = [
  {
    name: 'claude',
    program: 'claude',
    args: [
      ...['-p', task, '--model', 'claude-sonnet-4-5', '--mcp-config', '.mcp.json'],
      ...['--allowedTools', 'mcp__attractor__check,mcp__attractor__fix'],
    ],
    prepare: (url) => ({
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // The server of a busy machine takes longer to start than the agent waits by itself.
      MCP_TIMEOUT: '60000',
      MCP_CONNECTION_NONBLOCKING: 'false',
    }),
  },
  {
    name: 'codex',
    program: 'codex',
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    async prepare(mock, home, project) {
      const checks = await withNamespace(mock, 'mcp__attractor', 'check');
      const url = await withNamespace(checks, 'mcp__attractor', 'fix');
      put(
        path.join(home, '.codex/config.toml'),
        [
          'model = "gpt-5.1-codex"\nmodel_provider = "mock"',
          `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"`,
          `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nenv_key = "MOCK_KEY"`,
          'wire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0',
        ].join('\n'),
      );
      return { MOCK_KEY: 'key' };
    },
  },
  {
    name: 'gemini',
    program: 'gemini',
    args: ['-p', task, '--yolo', '--model', 'gemini-2.5-pro'],
    prepare(url, home) {
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      put(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    },
  },
  {
    name: 'opencode',
    program: 'opencode',
    args: ['run', task, '--model', 'anthropic/claude-sonnet-4-5'],
    prepare(url, home) {
      const config = { provider: { anthropic: { options: { baseURL: `${url}/v1` } } } };
      put(path.join(home, '.config/opencode/opencode.json'), JSON.stringify(config));
      return { ANTHROPIC_API_KEY: 'key', OPENCODE_DISABLE_AUTOUPDATE: '1' };
    },
  },
];

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const broken = `digraph Review {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    draft [label="Draft" prompt="Write a summary"]
    start -> draft -> done
}
`;

const usage = {
  ...{ input_tokens: 100, output_tokens: 10 },
  ...{ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  ...{ promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
};

type Step = { readonly tool: string } | { readonly words: string };

/**
 * A model that takes one step after the other, a request each. Agents ask it before they have connected to their servers, and a real one
 * would go on without the tool; this one makes a call that fails, and looks again a second later.
 */
function patientModel(input: object, steps: readonly Step[]): readonly MockTurn[] {
  const left = [...steps];
  const response: MockTurn['response'] = async ({ tools = [] }) => {
    const [next] = left;
    if (next === undefined) return { content: 'Nothing is left to do.', usage };
    if ('words' in next) {
      left.shift();
      return { content: next.words, usage };
    }
    const known = tools.map((one) => one.function.name);
    // By whatever name the agent gives it: Codex has it in a namespace.
    const name = known.find(
      (one) => one === next.tool || (one.includes('attractor') && one.endsWith(next.tool)),
    );
    if (name === undefined) await sleep(1000);
    else left.shift();
    return { toolCalls: [{ name: name ?? 'look_again', arguments: JSON.stringify(input) }], usage };
  };
  return Array.from({ length: steps.length + 60 }, () => ({ response }));
}

/** Points the registration of `init --agent` at this clone, which nobody has published. */
function useThisClone(name: string, project: string): void {
  const servers = codingAgents.find((one) => one.name === name)?.servers;
  const file = path.join(project, servers?.file ?? '');
  const words = ['npx', '-y', 'attractor-dot'].map((word) => JSON.stringify(word));
  const text = readFileSync(file, 'utf8');
  const [program, flag, script] = words.map((word) => text.indexOf(word));
  expect([program, flag, script]).not.toContain(-1);
  writeFileSync(
    file,
    text
      .replace('"npx"', JSON.stringify(process.execPath))
      .replace(/"-y",?\s*/, '')
      .replace('"attractor-dot"', JSON.stringify(attractor)),
  );
}

for (const agent of agents) {
  const reason = whyNotStartable(agent.program);
  const because = reason === undefined ? '' : ` (skipped: ${reason})`;
  describe.skipIf(reason !== undefined)(`${agent.name} as attractor init prepares it${because}`, () => {
    it('checks and fixes a pipeline with the tools of attractor mcp', async () => {
      const place = temporaryDirectory();
      const [project, home] = [path.join(place, 'project'), path.join(place, 'home')];
      for (const directory of [project, home]) mkdirSync(directory);
      put(path.join(project, 'review.dot'), broken);
      prepareAgents([agent.name], '.', project);
      useThisClone(agent.name, project);
      const file = 'review.dot';
      const models = await mockModels({
        [task]: patientModel({ file }, [
          { tool: 'check' },
          { tool: 'fix' },
          { tool: 'check' },
          { words: 'Repaired.' },
        ]),
      });
      const env = { ...(await agent.prepare(models.url, home, project)), HOME: home, PATH: agentPath };
      const options = { cwd: project, env, timeout: 280_000 };
      const started = promisify(execFile)(agent.program, [...agent.args], options);
      started.child.stdin?.end();
      const { stdout } = await started;
      expect(stdout).toContain('Repaired.');
      expect(readFileSync(path.join(project, file), 'utf8')).toBe(broken.replace('" prompt', '", prompt'));
      const heard = JSON.stringify(models.requests().at(-1)?.body.messages);
      // Claude Code and Codex give their models the data, the others the text.
      expect(heard).toMatch(/review\.dot: 1 error|errors\W+1\b/);
      expect(heard).toContain('syntax/missing_comma');
      expect(heard).toMatch(/review\.dot: no findings|errors\W+0\b/);
      await expect.poll(() => processesWith(place), { timeout: 10_000 }).toEqual([]);
    });
  });
}
