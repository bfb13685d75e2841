import { homedir } from 'node:os';

/** Way in which the requests of a coding agent can pass through the gateway (SEMANTICS 126). */
export interface AgentGateway {
  /** Routes of its requests, or the reason why they do not pass; determined without starting anything. */
  plan(place: AgentLaunch): GatewayPlan;
  /** Completes the addresses of routes by settings that only the program itself can read. */
  locate?(routes: readonly GatewayRoute[], place: AgentLaunch): Promise<readonly GatewayRoute[]>;
  /** Points the agent at the gateway. */
  wire(routes: readonly OpenRoute[], place: AgentLaunch): GatewayWiring;
}

/** Start of an agent, with everything else that it is given. */
export interface AgentLaunch {
  readonly environment: Variables;
  readonly protocol: 'acp' | 'command';
  /** Path of the executable; empty if it is not known yet. */
  readonly program: string;
  /** Directory in which it works. */
  readonly directory: string;
  /** Directory for files about the stage; empty before there is one. */
  readonly stageDirectory: string;
}

export type GatewayPlan =
  | { readonly kind: 'metered'; readonly routes: readonly GatewayRoute[] }
  /** `why` completes "is not metered: ". */
  | { readonly kind: 'direct'; readonly why: string };

/** Way of the requests with one key to one server. */
export interface GatewayRoute {
  /** Provider under whose name the models are priced and reported. */
  readonly provider: string;
  /** Variable that holds the key, and then the token in its place. */
  readonly keyVariable: string;
  readonly key: string;
  /** Address of the server, to which the paths of requests are appended. */
  readonly upstream: string;
  /** Setting with that address, for messages. */
  readonly setting: string;
}

/** Route as the agent sees it. */
export interface OpenRoute extends GatewayRoute {
  /** Address of the gateway, which replaces that of the server. */
  readonly address: string;
  /** Secret of the stage, which replaces the key. */
  readonly token: string;
}

/** Additions to the start of an agent. */
export interface GatewayWiring {
  readonly env: Variables;
  readonly args?: readonly string[];
  /** Files of the stage that it reads, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Gateway of an agent that has none. */
export function noGateway(why: string): AgentGateway {
  return { plan: () => direct(why), wire: () => ({ env: {} }) };
}

export function direct(why: string): GatewayPlan {
  return { kind: 'direct', why };
}

/** Value of a variable; undefined if it is not set, or empty. */
export function variableIn(environment: Variables, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

/** Home directory of an agent, in which its own configuration is. */
export function homeOf(environment: Variables): string {
  return variableIn(environment, 'HOME') ?? homedir();
}

/** The variables of keys, with tokens in their place. */
export function tokensFor(routes: readonly OpenRoute[]): Variables {
  return Object.fromEntries(routes.map(({ keyVariable, token }) => [keyVariable, token]));
}
