import type { MCPClient } from '@ai-sdk/mcp';
import { messageOf } from '../../handlers/error-category.js';
import { StageCrash } from '../../handlers/handler.js';
import { version } from '../../version.js';
import type { McpServerSettings } from '../settings.js';
import { McpProgram } from './mcp-program.js';
import { mcpResult } from './mcp-result.js';
import type { AgentTool } from './tools/agent-tool.js';
import { ToolProblem } from './tools/agent-tool.js';

const startTimeoutMs = 30_000;

/** Limit of the pages of a list of tools; no server has so many. */
const mostPages = 100;

/** Longest name of a tool that providers accept. */
const longestName = 64;

/**
 * Configured servers of the Model Context Protocol. Each is started when a stage first needs it, and serves
 * all stages until the backend is closed.
 */
export class McpServers {
  readonly #settings: ReadonlyMap<string, McpServerSettings>;
  readonly #directory: string;
  readonly #started = new Map<string, Promise<StartedServer>>();
  readonly #programs = new Set<McpProgram>();
  #stopping = new AbortController();

  /** @param directory in which programs are started */
  constructor(settings: ReadonlyMap<string, McpServerSettings>, directory: string) {
    this.#settings = settings;
    this.#directory = directory;
  }

  /**
   * Tools of all servers, as `<server>_<tool>`.
   * @param isWanted leaves servers out
   * @throws StageCrash if a server cannot be started
   */
  async tools(isWanted: (server: string) => boolean = () => true): Promise<readonly AgentTool[]> {
    const wanted = [...this.#settings].filter(([name]) => isWanted(name));
    const servers = await Promise.all(wanted.map(([name, settings]) => this.#start(name, settings)));
    const tools = servers.flatMap((server) => server.tools);
    const double = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
    if (double === undefined) return tools;
    throw new StageCrash(`two tools of MCP servers are called "${double.name}"; rename one of the servers`, {
      retryable: false,
    });
  }

  /** Ends all servers, including those that are still starting. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const servers = await Promise.allSettled(this.#started.values());
    this.#started.clear();
    await Promise.allSettled([
      ...servers.flatMap((result) => (result.status === 'fulfilled' ? [result.value.client.close()] : [])),
      ...[...this.#programs].map((program) => program.close()),
    ]);
    this.#programs.clear();
  }

  /** Starts a server; one that could not be started, or has ended, is tried again next time. */
  #start(name: string, settings: McpServerSettings): Promise<StartedServer> {
    const known = this.#started.get(name);
    if (known !== undefined) return known;
    const program = programOf(settings, this.#directory, () => {
      this.#forget(name, starting);
      if (program !== undefined) this.#programs.delete(program);
    });
    if (program !== undefined) this.#programs.add(program);
    const { signal } = this.#stopping;
    const starting = startServer({ name, settings, program, signal }).catch((error: unknown) => {
      this.#forget(name, starting);
      const what = settings.command ?? settings.url ?? '';
      const why = program?.ending ?? messageOf(error);
      throw new StageCrash(
        `the MCP server "${name}" (${what}) could not be started: ${why}; see "mcp_servers.${name}" in the configuration`,
        { retryable: false },
      );
    });
    this.#started.set(name, starting);
    return starting;
  }

  #forget(name: string, server: Promise<StartedServer>): void {
    if (this.#started.get(name) === server) this.#started.delete(name);
  }
}

interface StartedServer {
  readonly client: MCPClient;
  readonly tools: readonly AgentTool[];
}

interface ServerStart {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Undefined for a server that is reached by HTTP. */
  readonly program: McpProgram | undefined;
  readonly signal: AbortSignal;
}

async function startServer(start: ServerStart): Promise<StartedServer> {
  const { settings, program, signal } = start;
  const { url, headers = {} } = settings;
  if (program === undefined && url === undefined) throw new Error('it has neither a "command" nor a "url"');
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const client = await createMCPClient({
    transport: program ?? { type: 'http', url: url ?? '', headers },
    clientName: 'attractor',
    version,
    initializationOptions: { timeout: startTimeoutMs, signal },
  });
  try {
    return { client, tools: await toolsOf(start, client) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function programOf(
  settings: McpServerSettings,
  directory: string,
  onEnd: () => void,
): McpProgram | undefined {
  const { command, args = [], env = {} } = settings;
  if (command === undefined) return undefined;
  return new McpProgram(
    { program: command, args, directory, environment: { ...inherited(), ...env } },
    onEnd,
  );
}

/** Variables that every program needs, without any keys. */
function inherited(): Readonly<Record<string, string | undefined>> {
  const { HOME, LOGNAME, PATH, SHELL, TERM, USER } = process.env;
  return { HOME, LOGNAME, PATH, SHELL, TERM, USER };
}

async function toolsOf(
  { name: server, program, signal }: ServerStart,
  client: MCPClient,
): Promise<readonly AgentTool[]> {
  const tools: AgentTool[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    if (pages > mostPages) throw new Error('its list of tools does not end');
    const page = await client.listTools({
      params: cursor === undefined ? undefined : { cursor },
      options: { timeout: startTimeoutMs, signal },
    });
    const callable = new Map(Object.entries(client.toolsFromDefinitions(page)));
    for (const { name, description = '', inputSchema, annotations } of page.tools) {
      const execute = callable.get(name)?.execute;
      if (execute === undefined) continue;
      tools.push({
        name: toolName(server, name),
        description,
        inputSchema,
        isReadOnly: annotations?.readOnlyHint,
        async run(input, { signal, redactor }) {
          const options = { toolCallId: name, messages: [], abortSignal: signal };
          const result = mcpResult(await whileThere(server, program, execute(input, options)), redactor);
          if (result.isError) throw new ToolProblem(result.text);
          return result.text;
        },
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

async function whileThere(
  server: string,
  program: McpProgram | undefined,
  answer: unknown,
): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (program?.ending === undefined) throw error;
    throw new ToolProblem(
      `the MCP server "${server}" has ended (${program.ending}), so its tools no longer work in this stage`,
    );
  }
}

/** Name of a tool for providers, which accept letters, digits, `_` and `-`. */
function toolName(server: string, tool: string): string {
  return `${server}_${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
}
