import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { isRecord } from '../../../graph/json.js';
import {
  type AgentGateway,
  type AgentLaunch,
  direct,
  type GatewayPlan,
  type GatewayWiring,
  homeOf,
  type OpenRoute,
  tokensFor,
  type Variables,
  variableIn,
} from '../agent-gateway.js';

/** Codex, by its command line and over the Agent Client Protocol: by its configuration, which is TOML there and JSON here. */
export const codexGateway: AgentGateway = { plan, wire };

type Fields = Readonly<Record<string, unknown>>;

/** Name of the provider that replaces the built-in one. */
const ownProvider = 'attractor';

/** Configuration of Codex for its adapter, besides that in its file. */
const adapterConfig = 'CODEX_CONFIG';

function plan(place: AgentLaunch): GatewayPlan {
  const config = configOf(place);
  if (config === undefined) return direct('its configuration cannot be read');
  if (typeof config.profile === 'string') return direct('its configuration has a `profile`');
  const chosen = config.model_provider ?? 'openai';
  if (chosen === 'openai') return planForOpenAi(config, place.environment);
  const provider = providerIn(config, chosen);
  const { base_url: upstream, env_key: keyVariable } = provider;
  if (typeof upstream !== 'string' || typeof keyVariable !== 'string')
    return direct(`its provider "${String(chosen)}" has no \`base_url\` and \`env_key\``);
  const key = variableIn(place.environment, keyVariable);
  if (key === undefined) return direct(`${keyVariable} is not set`);
  const setting = `model_providers.${String(chosen)}.base_url`;
  return { kind: 'metered', routes: [{ provider: 'openai', keyVariable, key, upstream, setting }] };
}

function planForOpenAi({ openai_base_url: written }: Fields, environment: Variables): GatewayPlan {
  const isSignedIn = existsSync(path.join(codexHome(environment), 'auth.json'));
  // Signed in, only this variable has precedence.
  const names = isSignedIn ? ['CODEX_API_KEY'] : ['CODEX_API_KEY', 'OPENAI_API_KEY'];
  const keyVariable = names.find((name) => variableIn(environment, name) !== undefined);
  if (keyVariable === undefined)
    return direct(isSignedIn ? 'it is signed in by itself' : `${names.join(' or ')} is not set`);
  const key = variableIn(environment, keyVariable) ?? '';
  const upstream = typeof written === 'string' ? written : 'https://api.openai.com/v1';
  return {
    kind: 'metered',
    routes: [{ provider: 'openai', keyVariable, key, upstream, setting: 'openai_base_url' }],
  };
}

function wire(routes: readonly OpenRoute[], place: AgentLaunch): GatewayWiring {
  const [route] = routes;
  const config = configOf(place) ?? {};
  if (route === undefined) return { env: {} };
  const chosen = config.model_provider ?? 'openai';
  const isBuiltIn = chosen === 'openai';
  const name = isBuiltIn ? ownProvider : String(chosen);
  // The gateway repeats requests itself, and does not speak WebSockets.
  const address = { base_url: route.address, request_max_retries: 0, supports_websockets: false };
  const openAi = { name: 'OpenAI', env_key: route.keyVariable, wire_api: 'responses' };
  const changes: Fields = isBuiltIn ? { ...openAi, ...address } : address;
  const env = tokensFor(routes);
  if (place.protocol === 'acp') return { env: { ...env, [adapterConfig]: adapted(place, name, changes) } };
  const values = Object.entries(changes).map(
    ([key, value]) => `model_providers.${name}.${key}=${JSON.stringify(value)}`,
  );
  const settings = [...values, `model_provider=${JSON.stringify(name)}`];
  return { env, args: settings.flatMap((setting) => ['-c', setting]) };
}

function adapted({ environment }: AgentLaunch, name: string, changes: Fields): string {
  const given = objectIn(environment[adapterConfig]) ?? {};
  const providers = isRecord(given.model_providers) ? given.model_providers : {};
  const provider = { ...providerIn(given, name), ...changes };
  return JSON.stringify({
    ...given,
    model_provider: name,
    model_providers: { ...providers, [name]: provider },
  });
}

/** Configuration of the user: the file, and over it that of the adapter; undefined if one cannot be read. */
function configOf({ environment, protocol }: AgentLaunch): Fields | undefined {
  const file = path.join(codexHome(environment), 'config.toml');
  try {
    const written = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
    const given = protocol === 'acp' ? environment[adapterConfig] : undefined;
    if (given === undefined) return written;
    const over = objectIn(given);
    if (over === undefined) return undefined;
    const providers = [written.model_providers, over.model_providers].filter(isRecord);
    return { ...written, ...over, model_providers: Object.assign({}, ...providers) };
  } catch {
    return undefined;
  }
}

function providerIn(config: Fields, name: unknown): Fields {
  const { model_providers: providers } = config;
  const provider = isRecord(providers) ? providers[String(name)] : undefined;
  return isRecord(provider) ? provider : {};
}

function codexHome(environment: Variables): string {
  return variableIn(environment, 'CODEX_HOME') ?? path.join(homeOf(environment), '.codex');
}

function objectIn(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
