import path from 'node:path';
import {
  type AgentGateway,
  type AgentLaunch,
  type GatewayWiring,
  homeOf,
  type OpenRoute,
  tokensFor,
  type Variables,
  variableIn,
} from '../agent-gateway.js';
import { jsonFile, type ProvidersOfAgent, planForProviders, recordOf } from './several-providers.js';

/** pi, by an extension for the call: it has no variables for addresses. */
export const piGateway: AgentGateway = {
  plan({ environment }) {
    const home = piHome(environment);
    const configured = recordOf(jsonFile(path.join(home, 'models.json')).providers);
    const own = Object.keys(configured).filter((name) => recordOf(configured[name]).apiKey !== undefined);
    const signedIn = new Set([...Object.keys(jsonFile(path.join(home, 'auth.json'))), ...own]);
    const plan = planForProviders(providers, environment, signedIn);
    if (plan.kind === 'direct') return plan;
    const routes = plan.routes.map((route) => {
      const { baseUrl } = recordOf(configured[route.provider]);
      return { ...route, upstream: typeof baseUrl === 'string' ? baseUrl : route.upstream };
    });
    return { kind: 'metered', routes };
  },
  wire,
};

const providers: ProvidersOfAgent = {
  anthropic: { keyVariables: ['ANTHROPIC_API_KEY'], upstream: 'https://api.anthropic.com' },
  openai: { keyVariables: ['OPENAI_API_KEY'], upstream: 'https://api.openai.com/v1' },
  google: {
    keyVariables: ['GEMINI_API_KEY'],
    upstream: 'https://generativelanguage.googleapis.com/v1beta',
  },
  openrouter: { keyVariables: ['OPENROUTER_API_KEY'], upstream: 'https://openrouter.ai/api/v1' },
};

const extension = 'gateway-of-pi.mjs';

function wire(routes: readonly OpenRoute[], { stageDirectory }: AgentLaunch): GatewayWiring {
  const calls = routes.map(
    ({ provider, address }) =>
      `  pi.registerProvider(${JSON.stringify(provider)}, { baseUrl: ${JSON.stringify(address)} });\n`,
  );
  return {
    env: tokensFor(routes),
    args: ['-e', path.join(stageDirectory, extension)],
    files: { [extension]: `export default function (pi) {\n${calls.join('')}}\n` },
  };
}

function piHome(environment: Variables): string {
  return variableIn(environment, 'PI_CODING_AGENT_DIR') ?? path.join(homeOf(environment), '.pi/agent');
}
