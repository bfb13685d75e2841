import { readFileSync } from 'node:fs';
import { isRecord } from '../../../graph/json.js';
import { direct, type GatewayPlan, type GatewayRoute, type Variables, variableIn } from '../agent-gateway.js';

/** Provider of an agent that knows several, by the name that the agent gives it. */
interface ProviderOfAgent {
  readonly keyVariables: readonly string[];
  /** Address of the server, with the version of the API if the agent has it there. */
  readonly upstream: string;
}

export type ProvidersOfAgent = Readonly<Record<string, ProviderOfAgent>>;

/**
 * Plan for an agent that knows several providers: each whose key is in the environment has a route.
 * @param signedIn providers for which the agent has a key, or a subscription, of its own
 */
export function planForProviders(
  providers: ProvidersOfAgent,
  environment: Variables,
  signedIn: ReadonlySet<string>,
): GatewayPlan {
  const free = Object.entries(providers).filter(([name]) => !signedIn.has(name));
  const routes = free.flatMap(([provider, { keyVariables, upstream }]): readonly GatewayRoute[] => {
    const keyVariable = keyVariables.find((name) => variableIn(environment, name) !== undefined);
    if (keyVariable === undefined) return [];
    const key = variableIn(environment, keyVariable) ?? '';
    return [
      { provider, keyVariable, key, upstream, setting: `the address of ${provider} in its configuration` },
    ];
  });
  if (routes.length > 0) return { kind: 'metered', routes };
  if (free.length < Object.keys(providers).length) return direct('it is signed in by itself');
  const names = free.flatMap(([, { keyVariables }]) => keyVariables);
  return direct(`none of ${names.join(', ')} is set`);
}

/** Object in a JSON file of an agent; empty if there is none that can be read. */
export function jsonFile(file: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** The value if it is an object with fields, else an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
