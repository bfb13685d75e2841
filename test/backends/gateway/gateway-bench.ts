import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Variables } from '../../../src/backends/gateway/agent-gateway.js';
import { gatewayOfAgent } from '../../../src/backends/gateway/gateway-of-agent.js';
import { GatewayServer } from '../../../src/backends/gateway/gateway-server.js';
import { openStageGateway, type StageGateway } from '../../../src/backends/gateway/open-stage-gateway.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import type { BackendSettings } from '../../../src/backends/settings.js';
import type { BackendCall } from '../../../src/handlers/codergen-backend.js';
import type { Progress } from '../../../src/machine/progress.js';

/** What the server of a model got. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface FakeProvider {
  readonly url: string;
  readonly received: readonly Received[];
  /** Hosts to which it was asked to connect, as a proxy; it answers in their place. */
  readonly connected: readonly string[];
}

/** A server on loopback that answers as it is told, and is gone when the test has ended. */
export async function fakeProvider(
  answer: (response: ServerResponse, received: Received, request: IncomingMessage) => unknown,
): Promise<FakeProvider> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const one = { method, path: url, headers, body: await buffer(request) };
    received.push(one);
    await answer(response, one, request);
  });
  const connected: string[] = [];
  server.on('connect', ({ url = '' }, socket) => {
    connected.push(url);
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    server.emit('connection', socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, connected };
}

/** A stage behind the gateway, and what it has reported. */
export interface GatewayBench {
  readonly stage: StageGateway;
  readonly reports: readonly Progress[];
  readonly logs: readonly string[];
  readonly pauses: readonly number[];
  /** Whether the silence of the agent was excused in each pause. */
  readonly held: readonly boolean[];
  /** The environment of its agent. */
  readonly environment: Variables;
  /** Asks as the agent would, with the key in its environment. */
  ask(path: string, body: object, more?: RequestInit): Promise<Response>;
}

export interface BenchOptions {
  readonly agent?: string;
  readonly environment: Variables;
  readonly settings?: Partial<BackendSettings>;
  readonly server?: GatewayServer;
  readonly checkBudget?: (reports: readonly Progress[]) => void;
  /** Name of the variable with the key, and the header that carries it. */
  readonly key?: readonly [variable: string, header: string];
  readonly addressVariable?: string;
}

/** Settings of an agent that attractor does not know. */
const ownVariables = { provider: 'openai', base_url_env: 'MINE_URL', key_env: 'MINE_KEY' };

export const anthropicKey = 'sk-real-key-of-anthropic';

/** Opens the gateway for one stage; it is closed when the test has ended. */
export async function gatewayBench(options: BenchOptions): Promise<GatewayBench> {
  const { agent = 'claude-code', environment: given, settings = {}, checkBudget } = options;
  const { server = new GatewayServer(), addressVariable = 'ANTHROPIC_BASE_URL' } = options;
  const { key: [variable, header] = ['ANTHROPIC_API_KEY', 'x-api-key'] } = options;
  const reports: Progress[] = [];
  const logs: string[] = [];
  const pauses: number[] = [];
  const held: boolean[] = [];
  const bench: { stage?: StageGateway } = {};
  const call = {
    report: (progress: Progress) => void reports.push(progress),
    checkBudget: () => checkBudget?.(reports),
    log: (_level: string, message: string) => void logs.push(message),
    async sleep(milliseconds: number) {
      pauses.push(milliseconds);
      held.push(bench.stage?.isPausing() === true);
    },
  } as unknown as BackendCall;
  const place = {
    environment: given,
    protocol: 'command',
    program: '',
    directory: '/',
    stageDirectory: '',
  } as const;
  const stage = await openStageGateway({
    server,
    gateway: gatewayOfAgent(agent, agent === 'mine' ? ownVariables : true),
    title: 'The agent',
    place,
    call,
    settings: { ...noBackendSettings, ...settings },
  });
  if (stage === undefined) throw new Error('the agent is not metered');
  bench.stage = stage;
  onTestFinished(() => stage.close());
  const { environment } = stage.wire(given);
  return {
    stage,
    reports,
    logs,
    pauses,
    held,
    environment,
    ask: (path, body, more) =>
      fetch(`${environment[addressVariable]}${path}`, {
        method: 'POST',
        headers: { [header]: environment[variable] ?? '', 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...more,
      }),
  };
}

/** The uses of models among reports. */
export function usesIn(reports: readonly Progress[]) {
  return reports.flatMap((one) => (one.kind === 'model_used' ? [one] : []));
}
