import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hono, MiddlewareHandler } from 'hono';
import { UsageError } from '../setup/usage-error.js';
import type { Log } from '../telemetry/log.js';
import { answerClientError } from './security/answer-client-error.js';
import { checkBinding } from './security/check-binding.js';
import { limitConnections } from './security/limit-connections.js';
import { httpServerOptions, maxConnections } from './security/limits.js';
import { knownNames, linkName } from './security/link-name.js';
import { NamedTokenLookup } from './security/named-token-lookup.js';
import { namedTokensDirectory } from './security/named-tokens.js';
import { securityMiddlewares } from './security/security.js';
import { openTokenFile } from './security/token-file.js';
import type { ServerOptions } from './server-options.js';

/** Application that the guards of a server protect. */
export interface OpenedApp {
  readonly app: Hono;
  close(): Promise<void>;
}

/** Application that listens. */
export interface StartedApp<App extends OpenedApp> {
  /** Address of the server: `http://127.0.0.1:8421`. */
  readonly url: string;
  readonly token: string;
  readonly port: number;
  readonly opened: App;
  /** Closes the application, and ends all connections. */
  close(): Promise<void>;
}

/**
 * Listens for an application, with the guards that keep strangers out of it (§9.5).
 * @param open makes the application when the address is taken; requests wait for it
 * @throws UsageError where it cannot listen, RunError where the token file cannot be used, and what `open` throws
 */
export async function startApp<App extends OpenedApp>(
  options: ServerOptions,
  log: Log,
  open: (security: readonly MiddlewareHandler[]) => Promise<App>,
): Promise<StartedApp<App>> {
  checkBinding(options);
  const token = openTokenFile(options.tokenFile);
  const { getRequestListener } = await import('@hono/node-server');
  const ready = new Ready();
  const server = createServer(httpServerOptions, (incoming, outgoing) => ready.listener(incoming, outgoing));
  limitConnections(server, maxConnections);
  server.on('clientError', answerClientError);
  // Before any run continues: where the port is taken, nothing should have begun.
  const port = await listen(server, options);
  try {
    const now = (): number => performance.now();
    const setting = {
      ...options,
      allowedHosts: knownNames(options),
      token,
      named: new NamedTokenLookup(namedTokensDirectory(options.tokenFile), { log, now }),
      port: () => port,
      now,
    };
    const opened = await open(securityMiddlewares(setting));
    ready.begin(getRequestListener(opened.app.fetch));
    return {
      url: `http://${linkName(options)}:${port}`,
      token,
      port,
      opened,
      close: async () => {
        await opened.close();
        await stop(server);
      },
    };
  } catch (error) {
    await stop(server);
    throw error;
  }
}

/** Requests that come before the runs are open wait for that. */
class Ready {
  listener: RequestListener;
  begin: (listener: RequestListener) => void = () => undefined;

  constructor() {
    const ready = new Promise<RequestListener>((resolve) => {
      this.begin = (listener) => {
        this.listener = listener;
        resolve(listener);
      };
    });
    this.listener = (incoming, outgoing) => void ready.then((listener) => listener(incoming, outgoing));
  }
}

function listen(server: Server, { host, port }: ServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, host, port));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function cannotListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): UsageError {
  const place = `${hostOf(host)}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return new UsageError(
        `${place} is in use, perhaps by another server of attractor; stop that program, or choose another port with --port (0 picks a free one)`,
      );
    case 'EACCES':
      return new UsageError(
        `${place} cannot be used: permission denied; ports from 1024 need no special permission`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(
        `${host} is not an address of this machine; --host needs one that is, such as 127.0.0.1`,
      );
    default:
      return new UsageError(`cannot listen at ${place}: ${message}`);
  }
}

/** An address of version 6 stands in brackets. */
function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
