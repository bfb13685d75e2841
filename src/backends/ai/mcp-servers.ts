import type { MCPClient } from '@ai-sdk/mcp';
import { messageOf } from '../../engine/handlers/error-category.js';
import { StageCrash } from '../../engine/handlers/handler.js';
import { version } from '../../version.js';
import type { McpServerSettings } from '../settings.js';
import { mcpResult } from './mcp-result.js';
import type { AgentTool } from './tools/agent-tool.js';
import { ToolProblem } from './tools/agent-tool.js';

const startTimeoutMs = 30_000;

/** What providers take for the name of a tool. */
const longestName = 64;

/**
 * The servers of the Model Context Protocol that the configuration names. Each is started when a stage first needs it, and
 * serves all of them until the backend is closed.
 */
export class McpServers {
  readonly #settings: ReadonlyMap<string, McpServerSettings>;
  readonly #directory: string;
  readonly #started = new Map<string, Promise<StartedServer>>();

  /** @param directory where programs are started */
  constructor(settings: ReadonlyMap<string, McpServerSettings>, directory: string) {
    this.#settings = settings;
    this.#directory = directory;
  }

  /**
   * The tools of all servers, as `<server>_<tool>`.
   * @param isWanted leaves servers out
   * @throws StageCrash where one cannot be started
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

  /** Ends them all. */
  async close(): Promise<void> {
    const servers = await Promise.allSettled(this.#started.values());
    this.#started.clear();
    await Promise.allSettled(
      servers.flatMap((result) => (result.status === 'fulfilled' ? [result.value.client.close()] : [])),
    );
  }

  /** One that could not be started may be there the next time. */
  #start(name: string, settings: McpServerSettings): Promise<StartedServer> {
    const known = this.#started.get(name);
    if (known !== undefined) return known;
    const starting = startServer(name, settings, this.#directory).catch((error: unknown) => {
      this.#started.delete(name);
      const what = settings.command ?? settings.url ?? '';
      throw new StageCrash(
        `the MCP server "${name}" (${what}) could not be started: ${messageOf(error)}; see "mcp_servers.${name}" in the configuration`,
        { retryable: false },
      );
    });
    this.#started.set(name, starting);
    return starting;
  }
}

interface StartedServer {
  readonly client: MCPClient;
  readonly tools: readonly AgentTool[];
}

async function startServer(
  name: string,
  settings: McpServerSettings,
  directory: string,
): Promise<StartedServer> {
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const client = await createMCPClient({
    transport: await transportOf(settings, directory),
    clientName: 'attractor',
    version,
    initializationOptions: { timeout: startTimeoutMs },
  });
  try {
    return { client, tools: await toolsOf(name, client) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

type Transport = Parameters<typeof import('@ai-sdk/mcp').createMCPClient>[0]['transport'];

async function transportOf(settings: McpServerSettings, directory: string): Promise<Transport> {
  const { command, args = [], env = {}, url, headers = {} } = settings;
  if (command === undefined && url === undefined) throw new Error('it has neither a "command" nor a "url"');
  if (command === undefined) return { type: 'http', url: url ?? '', headers };
  const { Experimental_StdioMCPTransport: StdioTransport } = await import('@ai-sdk/mcp/mcp-stdio');
  return new StdioTransport({ command, args, env, cwd: directory, stderr: 'ignore' });
}

async function toolsOf(server: string, client: MCPClient): Promise<readonly AgentTool[]> {
  const tools: AgentTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
    const callable = new Map(Object.entries(client.toolsFromDefinitions(page)));
    for (const { name, description = '', inputSchema } of page.tools) {
      const execute = callable.get(name)?.execute;
      if (execute === undefined) continue;
      tools.push({
        name: toolName(server, name),
        description,
        inputSchema,
        async run(input, { signal }) {
          const result = mcpResult(
            await execute(input, { toolCallId: name, messages: [], abortSignal: signal }),
          );
          if (result.isError) throw new ToolProblem(result.text);
          return result.text;
        },
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** Providers take letters, digits, `_` and `-`. */
function toolName(server: string, tool: string): string {
  return `${server}_${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
}
