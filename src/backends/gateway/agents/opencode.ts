import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  type AgentGateway,
  type AgentLaunch,
  type GatewayRoute,
  type GatewayWiring,
  homeOf,
  type OpenRoute,
  tokensFor,
  variableIn,
} from '../agent-gateway.js';
import { jsonFile, type ProvidersOfAgent, planForProviders, recordOf } from './several-providers.js';

/** OpenCode, by its command line and over the Agent Client Protocol: by a configuration in its environment. */
export const opencodeGateway: AgentGateway = {
  plan: ({ environment }) => {
    const data = variableIn(environment, 'XDG_DATA_HOME') ?? path.join(homeOf(environment), '.local/share');
    const signedIn = new Set(Object.keys(jsonFile(path.join(data, 'opencode/auth.json'))));
    return planForProviders(providers, environment, signedIn);
  },
  locate,
  wire,
};

const providers: ProvidersOfAgent = {
  anthropic: { keyVariables: ['ANTHROPIC_API_KEY'], upstream: 'https://api.anthropic.com/v1' },
  openai: { keyVariables: ['OPENAI_API_KEY'], upstream: 'https://api.openai.com/v1' },
  google: {
    keyVariables: ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    upstream: 'https://generativelanguage.googleapis.com/v1beta',
  },
  openrouter: { keyVariables: ['OPENROUTER_API_KEY'], upstream: 'https://openrouter.ai/api/v1' },
};

const configVariable = 'OPENCODE_CONFIG_CONTENT';

/** Milliseconds in which it must have printed its configuration, which takes about two seconds. */
const longestLook = 60_000;

/**
 * Addresses in its own configuration, which it merges of many files. A provider whose key is in there is left out, because
 * it does not print the key.
 */
async function locate(
  routes: readonly GatewayRoute[],
  { environment, program, directory }: AgentLaunch,
): Promise<readonly GatewayRoute[]> {
  const options = { cwd: directory, env: { ...environment }, timeout: longestLook };
  let printed: string;
  try {
    printed = (await promisify(execFile)(program, ['debug', 'config'], options)).stdout;
  } catch {
    return [];
  }
  const configured = recordOf(recordOf(objectIn(printed)).provider);
  return routes.flatMap((route) => {
    const { baseURL, apiKey } = recordOf(recordOf(configured[route.provider]).options);
    if (apiKey !== undefined) return [];
    return [{ ...route, upstream: typeof baseURL === 'string' ? baseURL : route.upstream }];
  });
}

/** Adds to the configuration that the environment has already, as for the tool `report_outcome`. */
function wire(routes: readonly OpenRoute[], { environment }: AgentLaunch): GatewayWiring {
  const config = recordOf(objectIn(environment[configVariable] ?? ''));
  const given = recordOf(config.provider);
  const pointed = routes.map(({ provider, address, token }) => {
    const own = recordOf(given[provider]);
    const options = { ...recordOf(own.options), baseURL: address, apiKey: token };
    return [provider, { ...own, options }] as const;
  });
  const provider = { ...given, ...Object.fromEntries(pointed) };
  return { env: { ...tokensFor(routes), [configVariable]: JSON.stringify({ ...config, provider }) } };
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
