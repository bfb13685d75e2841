import {
  type AgentGateway,
  type AgentLaunch,
  direct,
  type GatewayPlan,
  tokensFor,
  type Variables,
  variableIn,
} from '../agent-gateway.js';

/** Agent that takes address and keys from its environment. */
export interface VariablesOfAgent {
  readonly provider: string;
  /** Each may hold a key; a request has one of them. */
  readonly keyVariables: readonly string[];
  /** Variable with the address of the server, without the version of the API if the agent adds it. */
  readonly addressVariable: string;
  /** Address without that variable; undefined if there is none. */
  readonly address: string | undefined;
  /** Variables that make it ignore that address, each with what it uses instead. */
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** Gateway of an agent that can be pointed at it by variables alone. */
export function gatewayByVariables(agent: VariablesOfAgent): AgentGateway {
  return {
    plan: ({ environment }: AgentLaunch) => planFor(agent, environment),
    wire: (routes) => {
      const [first] = routes;
      return { env: { ...tokensFor(routes), [agent.addressVariable]: first?.address } };
    },
  };
}

function planFor(agent: VariablesOfAgent, environment: Variables): GatewayPlan {
  const { provider, keyVariables, addressVariable, address, otherwise = {} } = agent;
  for (const [name, instead] of Object.entries(otherwise)) {
    if (isSwitchedOn(environment, name)) return direct(`${name} is set, so it uses ${instead}`);
  }
  const upstream = variableIn(environment, addressVariable) ?? address;
  if (upstream === undefined)
    return direct(`neither ${addressVariable} nor its \`gateway.base_url\` has the address of its server`);
  const routes = keyVariables.flatMap((keyVariable) => {
    const key = variableIn(environment, keyVariable);
    return key === undefined ? [] : [{ provider, keyVariable, key, upstream, setting: addressVariable }];
  });
  if (routes.length === 0) return direct(`${keyVariables.join(' or ')} is not set`);
  return { kind: 'metered', routes };
}

function isSwitchedOn(environment: Variables, name: string): boolean {
  const value = variableIn(environment, name);
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}
