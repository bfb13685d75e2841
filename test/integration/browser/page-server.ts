import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AcceptedRun, Submission } from '../../../src/server/api/run.js';
import type { ServerOptions } from '../../../src/server/server-options.js';
import { type RunningServer, startServer } from '../../../src/server/start-server.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { portOfItsOwn } from './port-of-its-own.js';

/** A real server on a port of its own, with a home of its own. */
export interface PageServer {
  readonly url: string;
  readonly token: string;
  /** The link that the server prints. */
  readonly tokenUrl: string;
  readonly directory: string;
  submit(submission: Submission): Promise<AcceptedRun>;
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
  /** Stops it, and starts it again at the same port and with the same home. */
  restart(whileItIsAway?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function startPageServer(settings: Partial<ServerOptions> = {}): Promise<PageServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-page-'));
  const options = optionsIn(directory, { port: await portOfItsOwn(), ...settings });
  let server: RunningServer = await startServer(options, silentLog);
  const { token, url, tokenUrl } = server;
  const ask = askWith(url, token);
  const post = <Body>(where: string, body: object): Promise<Body> =>
    ask(where, { method: 'POST', body: JSON.stringify(body) });
  return {
    ...{ url, token, tokenUrl, directory },
    get: (where) => ask(where),
    post,
    submit: (submission) => post('pipelines', submission),
    async restart(whileItIsAway) {
      await server.close();
      await whileItIsAway?.();
      server = await startServer(options, silentLog);
    },
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Asks a server that was started with a token; throws what it refuses. */
export function askWith(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async <Body>(where: string, init: RequestInit = {}): Promise<Body> => {
    const response = await fetch(`${url}/${where}`, { ...init, headers });
    if (!response.ok) throw new Error(`${where}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
}

function optionsIn(directory: string, settings: Partial<ServerOptions>): ServerOptions {
  return {
    workingDirectory: directory,
    home: path.join(directory, '.attractor/runs'),
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    tokenFile: path.join(directory, 'token'),
    maxRunning: 8,
    maxQueued: 100,
    onRestart: 'resume',
    policy: { allowTools: false },
    bounds: {
      setBy: 'attractor serve',
      maxDepth: 10,
      maxSteps: 10_000,
      budgetUsd: 25,
      maxDiskBytes: 2 ** 30,
      maxTime: { milliseconds: 86_400_000, text: '24h' },
    },
    maxBodyBytes: 2 * 1024 * 1024,
    // Tests are faster than people.
    requestsPerSecond: 10_000,
    extensions: { config: false, provider: 'simulated' },
    variables: { HOME: directory, PATH: process.env.PATH },
    ...settings,
  };
}
