import { claudeCodeVariables } from '../claude-code.js';
import type { VerdictServer } from '../verdict-server/start-verdict-channel.js';
import type { CommandAgent, VerdictWiring } from './command-agent.js';
import { claudeStream } from './formats/claude-stream.js';
import { codexExec } from './formats/codex-exec.js';
import { geminiStream } from './formats/gemini-stream.js';
import { objectOf, objectOfLine } from './formats/json-line.js';
import { opencodeJson } from './formats/opencode-json.js';
import { piJson } from './formats/pi-json.js';

const claude = [
  ...['claude', '-p', '--output-format', 'stream-json', '--verbose'],
  // Nobody can be asked; as root, it refuses to skip all questions.
  ...[
    '--permission-mode',
    'acceptEdits',
    '--allowedTools',
    'Bash,Edit,NotebookEdit,Write,WebFetch,WebSearch',
  ],
  ...['--add-dir', '{stage_dir}', '--model', '{model}', '--effort', '{effort}'],
  ...['--append-system-prompt', '{system_prompt}'],
];

const codex = [
  ...['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
  ...['-m', '{model}', '-c', 'model_reasoning_effort="{effort}"'],
];

const gemini = [
  ...['gemini', '-o', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
  ...['--include-directories', '{stage_dir}', '-m', '{model}'],
];

const opencode = ['opencode', 'run', '--format', 'json', '--model', '{model}', '--variant', '{effort}'];

const pi = [
  ...['pi', '-p', '--mode', 'json', '--model', '{model}', '--thinking', '{effort}'],
  ...['--append-system-prompt', '{system_prompt}'],
];

/** Known agents, each with a command that was tried out with the program itself. */
export const commandAgents: readonly CommandAgent[] = [
  {
    name: 'claude-code',
    aliases: ['claude'],
    title: 'Claude Code',
    command: claude,
    resume: [...claude, '--resume', '{session}'],
    prompt: 'stdin',
    output: claudeStream,
    env: {},
    defaultEnv: claudeCodeVariables,
    install: 'npm install -g --allow-scripts=@anthropic-ai/claude-code @anthropic-ai/claude-code',
    provider: 'anthropic',
    models: /^(?:claude|opus|sonnet|haiku)\b/i,
    verdict: ({ name, command, args, env }) => ({
      args: [
        ...['--mcp-config', JSON.stringify({ mcpServers: { [name]: { command, args, env } } })],
        ...['--allowedTools', `mcp__${name}`],
      ],
    }),
    sessionGone: /No conversation found/i,
  },
  {
    name: 'codex',
    aliases: [],
    title: 'Codex',
    command: ['codex', 'exec', ...codex, '-'],
    resume: ['codex', 'exec', 'resume', ...codex, '{session}', '-'],
    prompt: 'stdin',
    output: codexExec,
    env: {},
    install: 'npm install -g @openai/codex',
    provider: 'openai',
    models: /^(?:gpt|codex|o\d)/i,
    verdict: codexWiring,
    sessionGone: /no rollout found/i,
  },
  {
    name: 'gemini-cli',
    aliases: ['gemini'],
    title: 'Gemini CLI',
    command: gemini,
    resume: [...gemini, '--resume', '{session}'],
    prompt: 'stdin',
    output: geminiStream,
    env: {},
    install: 'npm install -g @google/gemini-cli',
    provider: 'google',
    models: /^gemini/i,
    sessionGone: /Error resuming session|Invalid session identifier/i,
    hasLyingStatus: true,
  },
  {
    name: 'opencode',
    aliases: [],
    title: 'OpenCode',
    command: opencode,
    resume: [...opencode, '--session', '{session}'],
    prompt: 'stdin',
    output: opencodeJson,
    env: {},
    defaultEnv: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    install: 'npm install -g --allow-scripts=opencode-ai opencode-ai',
    verdict: opencodeWiring,
    sessionGone: /Session not found/i,
  },
  {
    name: 'pi',
    aliases: [],
    title: 'pi',
    command: pi,
    resume: [...pi, '--session', '{session}'],
    prompt: 'stdin',
    output: piJson,
    env: {},
    install: 'npm install -g @mariozechner/pi-coding-agent',
    sessionGone: /No session found/i,
  },
];

/** Time for which an agent waits for a tool: a day. */
const patienceSeconds = 86_400;

/**
 * Wires the server by settings for this call, whose values are TOML; JSON strings and lists are valid TOML.
 */
function codexWiring({ name, command, args, env }: VerdictServer): VerdictWiring {
  const key = `mcp_servers.${name}`;
  const table = Object.entries(env).map(([variable, value]) => `${variable}=${JSON.stringify(value)}`);
  const values = [
    `${key}.command=${JSON.stringify(command)}`,
    `${key}.args=${JSON.stringify(args)}`,
    `${key}.env={${table.join(',')}}`,
    // A person may need hours.
    `${key}.tool_timeout_sec=${patienceSeconds}`,
  ];
  return { args: values.flatMap((value) => ['-c', value]) };
}

const openCodeConfig = 'OPENCODE_CONFIG_CONTENT';

/** Wires the server by a configuration in the environment, to which the user may have added theirs. */
function opencodeWiring(
  { name, command, args, env }: VerdictServer,
  inherited: Readonly<Record<string, string | undefined>>,
): VerdictWiring {
  const own = objectOfLine(inherited[openCodeConfig]?.trim() ?? '') ?? {};
  const server = { type: 'local', command: [command, ...args], environment: env, enabled: true };
  const mcp = { ...objectOf(own.mcp), [name]: server };
  return { env: { [openCodeConfig]: JSON.stringify({ ...own, mcp }) } };
}
