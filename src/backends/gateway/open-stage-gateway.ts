import type { BackendCall } from '../../handlers/codergen-backend.js';
import { noUsage } from '../../machine/usage.js';
import { patientConnections } from '../ai/model-fetch.js';
import { defaultRequestRetries } from '../ai/request-limits.js';
import type { BackendSettings } from '../settings.js';
import type { AgentGateway, AgentLaunch, Variables } from './agent-gateway.js';
import { forwardRequest } from './forward-request.js';
import type { GatewayServer } from './gateway-server.js';
import { GatewayStage } from './gateway-stage.js';

/** Stage whose agent asks its model through the gateway. */
export interface GatewayOrder {
  readonly server: GatewayServer;
  readonly gateway: AgentGateway;
  /** Name of the agent for people. */
  readonly title: string;
  readonly place: AgentLaunch;
  readonly call: BackendCall;
  readonly settings: Pick<BackendSettings, 'prices' | 'ai'>;
}

/** Gateway of one stage. */
export interface StageGateway {
  /** Call for the backend: usage that the gateway counts is not counted again, and the gateway checks the budgets. */
  readonly call: BackendCall;
  /** Aborted with the reason why the agent must be stopped at once. */
  readonly ending: AbortSignal;
  /** True while a request waits for its repetition, so that the silence of the agent does not count. */
  isPausing(): boolean;
  /** Environment and arguments of the agent, for the environment that it would have otherwise. */
  wire(environment: Variables): { readonly environment: Variables; readonly args: readonly string[] };
  /** Called when the agent has ended. */
  close(): Promise<void>;
}

/**
 * Opens the gateway for a stage (SEMANTICS 126).
 * @returns undefined if the requests of its agent do not pass through it
 */
export async function openStageGateway(order: GatewayOrder): Promise<StageGateway | undefined> {
  const { server, gateway, place, call, settings, title } = order;
  const plan = gateway.plan(place);
  if (plan.kind === 'direct') return undefined;
  const other = proxyOfOtherKind(place.environment);
  if (other !== undefined) {
    call.log('warning', `${title} is not metered: ${other} names a proxy that does not speak HTTP`);
    return undefined;
  }
  const routes = (await gateway.locate?.(plan.routes, place)) ?? plan.routes;
  if (routes.length === 0) {
    call.log('warning', `${title} is not metered: its configuration cannot be read, or holds its keys`);
    return undefined;
  }
  const connections = patientConnections(proxiesOf(place.environment), hasProxy(place.environment));
  const stage = new GatewayStage({
    call,
    title,
    connections,
    repetitions: {
      retries: settings.ai?.request_retries ?? defaultRequestRetries,
      random: () => Math.random(),
    },
    prices: settings.prices,
  });
  const opened = await server.open(routes, (request) => void forwardRequest(request, stage));
  return {
    call: { ...call, ...meteredCall(call, stage) },
    ending: stage.ending,
    isPausing: () => stage.isPausing,
    wire(environment) {
      const { env, args = [], files = {} } = gateway.wire(opened.routes, { ...place, environment });
      for (const [name, text] of Object.entries(files)) call.writeFile(name, text);
      return { environment: { ...environment, ...withoutProxy(environment), ...env }, args };
    },
    async close() {
      stage.close();
      opened.close();
      await connections.close();
    },
  };
}

function meteredCall(call: BackendCall, stage: GatewayStage): Pick<BackendCall, 'report' | 'checkBudget'> {
  return {
    report(progress) {
      if (progress.kind !== 'model_used' || !stage.isMetering) return call.report(progress);
      const cost_usd = stage.costBeyond(progress.usage.cost_usd);
      if (cost_usd > 0) call.report({ ...progress, usage: { ...noUsage, cost_usd } });
    },
    checkBudget() {
      if (!stage.isMetering) call.checkBudget();
    },
  };
}

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** Variable with a proxy that the gateway cannot use, such as one of SOCKS. */
function proxyOfOtherKind(environment: Variables): string | undefined {
  return proxies.find((name) => environment[name] && !/^https?:\/\//i.test(environment[name] ?? ''));
}

function proxiesOf(environment: Variables): Variables {
  const all = environment.all_proxy ?? environment.ALL_PROXY;
  return { HTTP_PROXY: all, HTTPS_PROXY: all, ...environment };
}

function hasProxy(environment: Variables): boolean {
  return proxies.some((name) => environment[name]);
}

/** A proxy does not reach this machine; the gateway uses it instead of the agent. */
function withoutProxy(environment: Variables): Variables {
  if (!hasProxy(environment)) return {};
  const hosts = ['127.0.0.1', environment.NO_PROXY ?? environment.no_proxy].filter(Boolean).join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
