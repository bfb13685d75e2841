import type { Cluster } from '../cluster/cluster.js';
import type { Log } from '../telemetry/log.js';
import { createApp } from './app.js';
import { openServerParts } from './open-server-parts.js';
import type { ServerOptions } from './server-options.js';
import type { ServerParts } from './server-parts.js';
import { startApp } from './start-app.js';

/** A server that listens. */
export interface RunningServer {
  /** Address of the server: `http://127.0.0.1:8421`. */
  readonly url: string;
  /**
   * Address that opens the page in a browser: it has the token, and is only for the person who started the
   * server.
   */
  readonly tokenUrl: string;
  readonly token: string;
  readonly port: number;
  readonly parts: ServerParts;
  /** Pauses what runs, so that the next server resumes it, and ends all connections. */
  close(): Promise<void>;
}

/**
 * Starts the HTTP server (§9.5).
 * @param cluster whose runs are served; without one, those of this machine
 * @throws UsageError where it cannot listen, RunError where the home or the token file cannot be used
 */
export async function startServer(
  options: ServerOptions,
  log: Log,
  cluster?: Cluster,
): Promise<RunningServer> {
  const started = await startApp(options, log, async (security) => {
    const { parts, partsFor, close } = await openServerParts(options, log, cluster);
    return { parts, app: createApp(parts, security, partsFor), close };
  });
  const { url, token, port, opened, close } = started;
  return { url, tokenUrl: `${url}/?token=${token}`, token, port, parts: opened.parts, close };
}
