import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentLaunch, Variables } from '../../../src/backends/gateway/agent-gateway.js';
import { gatewayOfAgent } from '../../../src/backends/gateway/gateway-of-agent.js';
import type { GatewaySettings } from '../../../src/backends/settings.js';
import { testEach } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Row {
  readonly name: string;
  readonly agent: string;
  readonly protocol?: 'acp' | 'command';
  readonly environment?: Variables;
  /** Files of its home directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: boolean | GatewaySettings;
}

interface Metered extends Row {
  /** Key variable and server of each route. */
  readonly routes: readonly (readonly [keyVariable: string, upstream: string])[];
  /** Part of what the agent is given, with TOKEN and ADDRESS. */
  readonly wired: { readonly env?: Variables; readonly args?: readonly string[] };
}

const metered: readonly Metered[] = [
  {
    name: 'Claude Code with a key',
    agent: 'claude-code',
    environment: { ANTHROPIC_API_KEY: 'k' },
    routes: [['ANTHROPIC_API_KEY', 'https://api.anthropic.com']],
    wired: { env: { ANTHROPIC_API_KEY: 'TOKEN', ANTHROPIC_BASE_URL: 'ADDRESS' } },
  },
  {
    name: 'Claude Code with the token of a corporate proxy',
    agent: 'claude-code',
    environment: { ANTHROPIC_AUTH_TOKEN: 'k', ANTHROPIC_BASE_URL: 'https://proxy.example/claude' },
    routes: [['ANTHROPIC_AUTH_TOKEN', 'https://proxy.example/claude']],
    wired: { env: { ANTHROPIC_AUTH_TOKEN: 'TOKEN', ANTHROPIC_BASE_URL: 'ADDRESS' } },
  },
  {
    name: 'Claude Code where a cloud is switched off',
    agent: 'claude-code',
    environment: { ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_USE_BEDROCK: '0' },
    routes: [['ANTHROPIC_API_KEY', 'https://api.anthropic.com']],
    wired: {},
  },
  {
    name: 'Gemini CLI with a key',
    agent: 'gemini-cli',
    environment: { GEMINI_API_KEY: 'k' },
    routes: [['GEMINI_API_KEY', 'https://generativelanguage.googleapis.com']],
    wired: { env: { GEMINI_API_KEY: 'TOKEN', GOOGLE_GEMINI_BASE_URL: 'ADDRESS' } },
  },
  {
    name: 'Codex with a key',
    agent: 'codex',
    environment: { OPENAI_API_KEY: 'k' },
    routes: [['OPENAI_API_KEY', 'https://api.openai.com/v1']],
    wired: {
      env: { OPENAI_API_KEY: 'TOKEN' },
      args: ['-c', 'model_providers.attractor.base_url="ADDRESS"', '-c', 'model_provider="attractor"'],
    },
  },
  {
    name: 'Codex signed in, with a key that has precedence',
    agent: 'codex',
    environment: { CODEX_API_KEY: 'k', OPENAI_API_KEY: 'other' },
    files: { '.codex/auth.json': '{}', '.codex/config.toml': 'openai_base_url = "https://proxy.example/v1"' },
    routes: [['CODEX_API_KEY', 'https://proxy.example/v1']],
    wired: { args: ['-c', 'model_providers.attractor.env_key="CODEX_API_KEY"'] },
  },
  {
    name: 'Codex with a provider of the user',
    agent: 'codex',
    environment: { OUR_KEY: 'k' },
    files: {
      '.codex/config.toml':
        'model_provider = "ours"\n[model_providers.ours]\nbase_url = "https://ours.example/v1"\nenv_key = "OUR_KEY"\n',
    },
    routes: [['OUR_KEY', 'https://ours.example/v1']],
    wired: {
      env: { OUR_KEY: 'TOKEN' },
      args: ['-c', 'model_providers.ours.base_url="ADDRESS"', '-c', 'model_provider="ours"'],
    },
  },
  {
    name: 'OpenCode with the keys of two providers, besides one that is signed in',
    agent: 'opencode',
    environment: { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o' },
    files: { '.local/share/opencode/auth.json': '{"openai":{"type":"oauth"}}' },
    routes: [
      ['ANTHROPIC_API_KEY', 'https://api.anthropic.com/v1'],
      ['GEMINI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta'],
    ],
    wired: { env: { ANTHROPIC_API_KEY: 'TOKEN', GEMINI_API_KEY: 'TOKEN' } },
  },
  {
    name: 'pi with a key, and an address in its models',
    agent: 'pi',
    environment: { ANTHROPIC_API_KEY: 'k' },
    files: { '.pi/agent/models.json': '{"providers":{"anthropic":{"baseUrl":"https://proxy.example"}}}' },
    routes: [['ANTHROPIC_API_KEY', 'https://proxy.example']],
    wired: { env: { ANTHROPIC_API_KEY: 'TOKEN' }, args: ['-e', '/stage/gateway-of-pi.mjs'] },
  },
  {
    name: 'an agent whose variables are named',
    agent: 'mine',
    environment: { MINE_KEY: 'k' },
    settings: {
      ...{ provider: 'openai', base_url_env: 'MINE_URL', key_env: 'MINE_KEY' },
      base_url: 'https://mine.example/v1',
    },
    routes: [['MINE_KEY', 'https://mine.example/v1']],
    wired: { env: { MINE_KEY: 'TOKEN', MINE_URL: 'ADDRESS' } },
  },
];

const direct: readonly (Row & { readonly why: string | RegExp })[] = [
  {
    name: 'Claude Code without a key',
    agent: 'claude-code',
    why: 'ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set',
  },
  {
    name: 'Claude Code on a cloud',
    agent: 'claude-code',
    environment: { ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_USE_BEDROCK: '1' },
    why: 'CLAUDE_CODE_USE_BEDROCK is set, so it uses Amazon Bedrock',
  },
  {
    name: 'an agent that is switched off',
    agent: 'claude-code',
    environment: { ANTHROPIC_API_KEY: 'k' },
    settings: false,
    why: '`gateway` is false in its settings',
  },
  {
    name: 'Codex signed in by a subscription',
    agent: 'codex',
    environment: { OPENAI_API_KEY: 'k' },
    files: { '.codex/auth.json': '{}' },
    why: 'it is signed in by itself',
  },
  {
    name: 'Codex with a profile',
    agent: 'codex',
    environment: { OPENAI_API_KEY: 'k' },
    files: { '.codex/config.toml': 'profile = "work"' },
    why: 'its configuration has a `profile`',
  },
  {
    name: 'Codex with a provider that has a key of its own',
    agent: 'codex',
    environment: { OPENAI_API_KEY: 'k' },
    files: { '.codex/config.toml': 'model_provider = "azure"' },
    why: 'its provider "azure" has no `base_url` and `env_key`',
  },
  {
    name: 'Codex with a damaged configuration',
    agent: 'codex',
    environment: { OPENAI_API_KEY: 'k' },
    files: { '.codex/config.toml': 'model_provider =' },
    why: 'its configuration cannot be read',
  },
  {
    name: 'OpenCode signed in',
    agent: 'opencode',
    environment: { ANTHROPIC_API_KEY: 'k' },
    files: { '.local/share/opencode/auth.json': '{"anthropic":{"type":"oauth"}}' },
    why: 'it is signed in by itself',
  },
  { name: 'pi without a key', agent: 'pi', why: /^none of ANTHROPIC_API_KEY, .* is set$/ },
  {
    name: 'an agent that attractor does not know',
    agent: 'mine',
    environment: { ANTHROPIC_API_KEY: 'k' },
    why: 'its settings have no `gateway` that names its variables',
  },
  {
    name: 'an agent without the address of its server',
    agent: 'mine',
    environment: { MINE_KEY: 'k' },
    settings: { provider: 'openai', base_url_env: 'MINE_URL', key_env: 'MINE_KEY' },
    why: 'neither MINE_URL nor its `gateway.base_url` has the address of its server',
  },
];

function placeOf({ environment = {}, files = {}, protocol = 'command' }: Row): AgentLaunch {
  const home = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  const all = { HOME: home, ...environment };
  return { environment: all, protocol, program: '', directory: home, stageDirectory: '/stage' };
}

describe('metered is', () => {
  testEach(metered, ({ routes, wired, ...row }) => {
    const place = placeOf(row);
    const gateway = gatewayOfAgent(row.agent, row.settings);
    const plan = gateway.plan(place);
    if (plan.kind !== 'metered') throw new Error(plan.why);
    expect(plan.routes.map(({ keyVariable, upstream }) => [keyVariable, upstream])).toEqual(routes);
    const open = plan.routes.map((route) => ({ ...route, address: 'ADDRESS', token: 'TOKEN' }));
    const { env, args = [] } = gateway.wire(open, place);
    expect(env).toMatchObject(wired.env ?? {});
    expect(args).toEqual(expect.arrayContaining([...(wired.args ?? [])]));
  });
});

describe('not metered is', () => {
  testEach(direct, ({ why, ...row }) => {
    const plan = gatewayOfAgent(row.agent, row.settings).plan(placeOf(row));
    expect(plan).toEqual({
      kind: 'direct',
      why: typeof why === 'string' ? why : expect.stringMatching(why),
    });
  });
});

test('the configuration of Codex and OpenCode in the environment is kept', () => {
  const codex = placeOf({
    name: '',
    agent: 'codex',
    protocol: 'acp',
    environment: {
      OPENAI_API_KEY: 'k',
      CODEX_CONFIG: '{"model":"gpt-5","model_providers":{"other":{"name":"x"}}}',
    },
  });
  const route = { provider: 'openai', keyVariable: 'OPENAI_API_KEY', key: 'k', upstream: '', setting: '' };
  const open = { ...route, address: 'http://gateway', token: 'TOKEN' };
  const { env } = gatewayOfAgent('codex').wire([open], codex);
  expect(JSON.parse(env.CODEX_CONFIG ?? '')).toMatchObject({
    model: 'gpt-5',
    model_provider: 'attractor',
    model_providers: { other: { name: 'x' }, attractor: { base_url: 'http://gateway', name: 'OpenAI' } },
  });
  const config = { mcp: { attractor: {} }, provider: { openai: { options: { timeout: 1 } } } };
  const opencode = placeOf({
    name: '',
    agent: 'opencode',
    environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
  });
  const wired = gatewayOfAgent('opencode').wire([open], opencode);
  expect(JSON.parse(wired.env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
    mcp: { attractor: {} },
    provider: { openai: { options: { timeout: 1, baseURL: 'http://gateway', apiKey: 'TOKEN' } } },
  });
});
