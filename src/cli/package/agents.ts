/** Coding agent that `attractor init --agent` prepares a project for. */
export interface CodingAgent {
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Directory of a project in which it looks for skills. */
  readonly skills: string;
  /** File of a project in which it looks for MCP servers. */
  readonly servers: ServerFile;
}

/** File with MCP servers, each by its name below a key. */
export interface ServerFile {
  readonly file: string;
  readonly format: 'json' | 'toml';
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

const command = 'npx';
const args = ['-y', 'attractor-dot', 'mcp'];

/** Agents, by their names. */
export const codingAgents: readonly CodingAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    skills: '.claude/skills',
    servers: { file: '.mcp.json', format: 'json', key: 'mcpServers', entry: { command, args } },
  },
  {
    name: 'codex',
    title: 'Codex',
    skills: '.agents/skills',
    servers: {
      file: '.codex/config.toml',
      format: 'toml',
      key: 'mcp_servers',
      // The first start downloads the package.
      entry: { command, args, startup_timeout_sec: 60 },
    },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    skills: '.gemini/skills',
    servers: { file: '.gemini/settings.json', format: 'json', key: 'mcpServers', entry: { command, args } },
  },
  {
    name: 'opencode',
    title: 'opencode',
    skills: '.opencode/skills',
    servers: {
      file: 'opencode.json',
      format: 'json',
      key: 'mcp',
      // Milliseconds, of which it waits 5 000 by default: the first start downloads the package.
      entry: { type: 'local', command: [command, ...args], enabled: true, timeout: 60_000 },
    },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    skills: '.cursor/skills',
    servers: { file: '.cursor/mcp.json', format: 'json', key: 'mcpServers', entry: { command, args } },
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot in VS Code',
    skills: '.github/skills',
    servers: {
      file: '.vscode/mcp.json',
      format: 'json',
      key: 'servers',
      entry: { type: 'stdio', command, args },
    },
  },
];
