import { claudeCodeVariables, describeClaudeCodeRetry } from '../claude-code.js';
import type { AcpAgent } from './acp-agent.js';
import { recordIn } from './fields.js';

/** Known agents; their details were found by running them. */
export const acpAgents: readonly AcpAgent[] = [
  {
    name: 'claude-code',
    aliases: ['claude'],
    title: 'Claude Code',
    program: 'claude-agent-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    signIn: 'set ANTHROPIC_API_KEY, or run `claude` once and sign in',
    provider: 'anthropic',
    models: /^(?:claude|opus|sonnet|haiku)\b/i,
    defaultEnv: claudeCodeVariables,
    countsCostsAnew: true,
    sessionMeta: { claudeCode: { emitRawSDKMessages: [{ type: 'system', subtype: 'api_retry' }] } },
    systemPromptMeta: (text) => ({ systemPrompt: { append: text } }),
    retryIn: (method, params) =>
      method === '_claude/sdkMessage' ? describeClaudeCodeRetry(recordIn(params, 'message')) : undefined,
    wishVariables: ({ model }) => (model === undefined ? {} : { ANTHROPIC_MODEL: model }),
  },
  {
    name: 'codex',
    aliases: [],
    title: 'Codex',
    program: 'codex-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    signIn: 'set OPENAI_API_KEY, or run `codex login`',
    provider: 'openai',
    models: /^(?:gpt|codex|o\d)/i,
    keyMethod: { id: 'api-key', variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'] },
    // Without the second, it reports a failure of its provider as its answer.
    clientMeta: {
      terminal_output: true,
      jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } },
    },
    // In its default mode another model judges each call of an MCP tool; in this one it asks us.
    wishVariables: ({ permissions, model }, configured, inherited) => ({
      INITIAL_AGENT_MODE:
        configured.INITIAL_AGENT_MODE ?? (permissions === 'deny' ? 'read-only' : 'workspace-write'),
      CODEX_CONFIG: codexConfig(model, configured.CODEX_CONFIG ?? inherited.CODEX_CONFIG),
    }),
  },
  {
    name: 'gemini-cli',
    aliases: ['gemini'],
    title: 'Gemini CLI',
    program: 'gemini',
    args: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
    signIn: 'set GEMINI_API_KEY, or run `gemini` once and sign in',
    provider: 'google',
    models: /^gemini/i,
    keyMethod: { id: 'gemini-api-key', variables: ['GEMINI_API_KEY'] },
    losesSessionsOfTheMinute: true,
    // It keeps to itself what a command prints on its pseudo-terminal.
    defaultEnv: { GEMINI_PTY_INFO: 'child_process' },
    // Its tools read nothing outside of its directories.
    wishArgs: ({ model, stageDirectory }) => [
      ...['--include-directories', stageDirectory],
      ...(model === undefined ? [] : ['--model', model]),
    ],
    wishVariables: (_wishes, { GEMINI_CLI_TRUST_WORKSPACE = 'true' }) => ({ GEMINI_CLI_TRUST_WORKSPACE }),
  },
  {
    name: 'opencode',
    aliases: [],
    title: 'OpenCode',
    program: 'opencode',
    args: ['acp'],
    install: 'npm install -g --allow-scripts=opencode-ai opencode-ai',
    signIn: 'run `opencode auth login`, or set the key of the provider that it is to use',
  },
];

/**
 * Adds the model to the configuration: a session offers only the models that it lists, but the
 * configuration takes any.
 */
function codexConfig(model: string | undefined, given: string | undefined): string | undefined {
  if (model === undefined) return given;
  if (given === undefined) return JSON.stringify({ model });
  try {
    return JSON.stringify({ ...JSON.parse(given), model });
  } catch {
    // Its own message about invalid configuration is better than ours.
    return given;
  }
}
