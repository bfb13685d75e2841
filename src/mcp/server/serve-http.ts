import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { problemAnswer } from '../../server/http/problem-answer.js';
import { ProblemError } from '../../server/problem-error.js';
import { type OpenedApp, type StartedApp, startApp } from '../../server/start-app.js';
import type { McpOptions } from './mcp-options.js';
import { RunHome } from './run-home.js';
import { openSession, type Session } from './session.js';

/** Path of the only route. */
const mcpPath = '/mcp';

/** Most clients at a time: one more ends the session that was silent longest. */
const mostSessions = 64;

/**
 * Serves clients over HTTP (Streamable HTTP of the protocol), with the token and the guards of `attractor serve`.
 * @throws UsageError where it cannot listen
 */
function startMcpServer(options: McpOptions): Promise<StartedApp<OpenedApp>> {
  return startApp(options.server, options.log, async (security) => openApp(options, security));
}

/** The same until `stopped` is aborted. @param tell says where it listens */
export async function serveHttp(
  options: McpOptions,
  stopped: AbortSignal,
  tell: (text: string) => unknown,
): Promise<void> {
  const { url, close } = await startMcpServer(options);
  const { tokenFile, home, policy } = options.server;
  const may = policy.allowTools ? 'can run commands' : 'cannot run commands (enable with --allow-tools)';
  tell(
    `attractor: serving coding agents at ${url}${mcpPath}\n  clients send "Authorization: Bearer TOKEN" with the text of ${tokenFile}\n  runs are kept in ${home}, and ${may}; Ctrl-C stops the server and pauses what runs\n`,
  );
  await new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener('abort', () => resolve());
  });
  await close();
}

function openApp(options: McpOptions, security: readonly MiddlewareHandler[]): OpenedApp {
  const home = new RunHome(options.server, options.log);
  const clients = new Clients(options, home);
  const app = new Hono();
  for (const middleware of security) app.use(middleware);
  app.onError((error, context) => problemAnswer(context, error, options.log));
  app.all(mcpPath, (context) => clients.handle(context));
  app.notFound((context) => {
    const message = `nothing found at ${context.req.path}; this server has ${mcpPath} only`;
    return problemAnswer(context, new ProblemError('not_found', message), options.log);
  });
  return {
    app,
    async close() {
      await clients.close();
      await home.close();
    },
  };
}

interface Client {
  readonly session: Session;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** Sessions by their ids, the one that was silent longest first. */
class Clients {
  readonly #clients = new Map<string, Client>();
  readonly #options: McpOptions;
  readonly #home: RunHome;

  constructor(options: McpOptions, home: RunHome) {
    this.#options = options;
    this.#home = home;
  }

  async handle({ req }: Context): Promise<Response> {
    const id = req.header('mcp-session-id');
    if (id === undefined) {
      const { transport, session } = await this.#open();
      const response = await transport.handleRequest(req.raw);
      if (transport.sessionId === undefined) await session.server.close();
      return response;
    }
    const client = this.#clients.get(id);
    // The protocol has a client initialize again then.
    if (client === undefined)
      throw new ProblemError('not_found', 'this session has ended; initialize another one');
    this.#clients.delete(id);
    this.#clients.set(id, client);
    return client.transport.handleRequest(req.raw);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((id) => this.#end(id)));
  }

  /** A client is kept from its first message on, if that initializes a session. */
  async #open(): Promise<Client> {
    const session = openSession(this.#options, this.#home);
    const transport: Client['transport'] = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#add(id, client),
      onsessionclosed: (id) => this.#end(id),
    });
    const client: Client = { session, transport };
    await session.server.connect(transport);
    return client;
  }

  #add(id: string, client: Client): void {
    this.#clients.set(id, client);
    const [oldest] = this.#clients.keys();
    if (oldest !== undefined && this.#clients.size > mostSessions) void this.#end(oldest);
  }

  async #end(id: string): Promise<void> {
    const client = this.#clients.get(id);
    this.#clients.delete(id);
    client?.session.end();
    await client?.session.server.close();
  }
}
