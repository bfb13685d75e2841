import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Cluster } from '../../../src/cluster/cluster.js';
import type { AcceptedRun, Submission } from '../../../src/server/api/run.js';
import type { ServerOptions } from '../../../src/server/server-options.js';
import { type RunningServer, startServer } from '../../../src/server/start-server.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { portOfItsOwn } from './port-of-its-own.js';

/** A client of a server, with its token. */
export interface PageClient {
  readonly url: string;
  readonly token: string;
  /** The link that the server prints. */
  readonly tokenUrl: string;
  submit(submission: Submission): Promise<AcceptedRun>;
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
  /** Yields when something has come on a stream of events (§9.5), once for all that came meanwhile, and ends with it. */
  listen(path: string): AsyncIterable<void>;
}

/** A real server on a port of its own, with a home of its own. */
export interface PageServer extends PageClient {
  readonly directory: string;
  /** Ends it, and starts it again at the same port and with the same home. */
  restart(whileItIsAway?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** @param cluster whose runs it serves; without one, those that it executes itself */
export async function startPageServer(
  settings: Partial<ServerOptions> = {},
  cluster?: Cluster,
): Promise<PageServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-page-'));
  const options = optionsIn(directory, { port: await portOfItsOwn(), ...settings });
  let server: RunningServer = await startServer(options, silentLog, cluster);
  const { token, url } = server;
  return {
    ...clientOf(url, token),
    directory,
    async restart(whileItIsAway) {
      await server.close();
      await whileItIsAway?.();
      server = await startServer(options, silentLog, cluster);
    },
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Talks to a server that was started with a token; throws what it refuses. */
export function clientOf(url: string, token: string): PageClient {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (where: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${url}/${where}`, { ...init, headers });
    if (!response.ok) throw new Error(`${where}: ${response.status} ${await response.text()}`);
    return response;
  };
  const get = async <Body>(where: string): Promise<Body> => (await (await ask(where)).json()) as Body;
  const post = async <Body>(where: string, body: object): Promise<Body> =>
    (await (await ask(where, { method: 'POST', body: JSON.stringify(body) })).json()) as Body;
  return {
    url,
    token,
    tokenUrl: `${url}/?token=${token}`,
    get,
    post,
    submit: (submission) => post('pipelines', submission),
    async *listen(where) {
      const leave = new AbortController();
      try {
        const { body } = await ask(where, { signal: leave.signal });
        if (body !== null) yield* news(body);
      } finally {
        leave.abort();
      }
    },
  };
}

async function* news(stream: AsyncIterable<unknown>): AsyncGenerator<void> {
  let isNew = false;
  let isOver = false;
  let wake: () => void = () => undefined;
  const read = async (): Promise<void> => {
    try {
      for await (const _ of stream) {
        isNew = true;
        wake();
      }
    } finally {
      isOver = true;
      wake();
    }
  };
  const reading = read();
  // Whoever leaves breaks the stream off.
  reading.catch(() => undefined);
  while (!isOver || isNew) {
    if (isNew) {
      isNew = false;
      yield;
    } else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await reading;
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
