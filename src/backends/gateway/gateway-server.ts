import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayRoute, OpenRoute } from './agent-gateway.js';

/** Request of an agent, with the route to which its token belongs. */
export interface RoutedRequest {
  readonly route: OpenRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Routes of one stage through the gateway. */
export interface OpenedRoutes {
  readonly routes: readonly OpenRoute[];
  /** Forgets the tokens; the server ends with the last stage. */
  close(): void;
}

type Handle = (request: RoutedRequest) => void;

interface Holder {
  readonly route: OpenRoute;
  readonly handle: Handle;
}

/**
 * Server on loopback through which the requests of agents pass (SEMANTICS 126). It listens while a stage needs it. Every
 * stage has tokens of its own, without which nobody on this machine can use a key.
 */
export class GatewayServer {
  readonly #holders = new Map<string, Holder>();
  #stages = 0;
  #listening: Promise<Server> | undefined;

  /** @throws the reason if it cannot listen */
  async open(routes: readonly GatewayRoute[], handle: Handle): Promise<OpenedRoutes> {
    this.#stages += 1;
    try {
      this.#listening ??= listen((request, response) => this.#dispatch(request, response));
      const { port } = (await this.#listening).address() as AddressInfo;
      const address = `http://127.0.0.1:${port}`;
      const opened = routes.map((route) => ({ ...route, address, token: newToken() }));
      for (const route of opened) this.#holders.set(route.token, { route, handle });
      return { routes: opened, close: () => this.#close(opened) };
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #close(routes: readonly OpenRoute[]): void {
    if (routes.every(({ token }) => !this.#holders.has(token))) return;
    for (const { token } of routes) this.#holders.delete(token);
    this.#leave();
  }

  #leave(): void {
    this.#stages -= 1;
    if (this.#stages > 0) return;
    this.#listening?.then(end, () => undefined);
    this.#listening = undefined;
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const holder = this.#holderOf(request);
    if (holder === undefined) return refuse(request, response);
    holder.handle({ route: holder.route, request, response });
  }

  /** The token is where the agent puts its key, whichever header or parameter that is. */
  #holderOf({ rawHeaders, url = '' }: IncomingMessage): Holder | undefined {
    const values = rawHeaders.filter((_text, index) => index % 2 === 1);
    const tokens = [...values, url].flatMap((text) => text.match(tokenForm) ?? []);
    return tokens.map((token) => this.#holders.get(token)).find((holder) => holder !== undefined);
  }
}

const tokenForm = /attractor-[A-Za-z0-9_-]{43}/g;

function newToken(): string {
  return `attractor-${randomBytes(32).toString('base64url')}`;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  // Large requests take their time, and agents keep connections for their next request.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 600_000 }, handle);
  // Without this, an agent that tries WebSockets first would wait for an answer.
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A stage that waits for its agent keeps the process alive by itself.
  server.unref();
  server.on('error', () => undefined);
  return server;
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const message = 'this is the gateway of a running pipeline, and the request has no token of a stage';
  request.resume();
  response.writeHead(401, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message } }));
}
