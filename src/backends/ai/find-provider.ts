import { didYouMean } from '../../diagnostic/did-you-mean.js';
import type { ModelChoice } from '../../graph/model-choice.js';
import type { BackendEnvironment } from '../backend.js';
import type { ProviderSettings } from '../settings.js';
import { type KnownProvider, knownProviders, type ProviderKind } from './known-providers.js';
import type { ModelServer } from './request-failures.js';

/** Model with its address. */
export interface ModelAddress {
  /** Name of the provider in the pipeline or the settings. */
  readonly provider: string;
  readonly kind: ProviderKind;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export type ProviderReading =
  | { readonly kind: 'found'; readonly address: ModelAddress }
  /** A known provider that lacks something the user can supply. */
  | { readonly kind: 'lacks'; readonly problem: string }
  | { readonly kind: 'unknown'; readonly problem: string };

type ProviderEnvironment = Pick<BackendEnvironment, 'settings' | 'variables'>;

/**
 * Finds the provider of the model that a stage asks for (§8.5): the one that it names, by itself or as
 * `provider/model`, else the one to which the name of the model belongs.
 */
export function findProvider(asked: ModelChoice, environment: ProviderEnvironment): ProviderReading {
  const named = nameOf(asked, environment);
  if (named === undefined) return { kind: 'unknown', problem: unknownModel(asked.model) };
  const { provider, model } = named;
  const settings = environment.settings.providers.get(provider);
  const known = knownProviders.get(provider);
  const kind =
    settings?.kind ?? known?.kind ?? (settings?.base_url === undefined ? undefined : 'openai-compatible');
  if (kind === undefined) return { kind: 'unknown', problem: unknownProvider(provider, environment) };
  const baseUrl = settings?.base_url ?? known?.baseUrlFrom(environment.variables) ?? known?.baseUrl;
  if (kind === 'openai-compatible' && baseUrl === undefined) {
    return lacks(`"providers.${provider}.base_url" is not set in the configuration`);
  }
  if (model === undefined) return lacks(`no model is named for the provider "${provider}": set llm_model`);
  const key = keyOf(settings, known, environment);
  if (key.kind === 'missing') return lacks(key.problem);
  const headers = settings?.headers ?? {};
  return { kind: 'found', address: { provider, kind, model, baseUrl, apiKey: key.key, headers } };
}

/** Name of that provider; undefined if nothing says which it is. */
export function providerNameOf(asked: ModelChoice, environment: ProviderEnvironment): string | undefined {
  return nameOf(asked, environment)?.provider;
}

/** The server of a model, for messages: without what may be secret in its address. */
export function serverOf({ provider, kind, model, baseUrl, apiKey, headers }: ModelAddress): ModelServer {
  const address = baseUrl ?? usualServers[kind];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return {
    model: `${provider}/${model}`,
    host: url?.host ?? address,
    baseUrl: url === undefined ? address : `${url.origin}${url.pathname}`,
    setting: `providers.${provider}.base_url`,
    missingKey: apiKey === undefined && !hasKey(headers) ? `providers.${provider}.api_key_env` : undefined,
  };
}

function hasKey(headers: ModelAddress['headers']): boolean {
  return Object.keys(headers).some((name) => /auth|key|token|secret/i.test(name));
}

/** Addresses in the libraries of the providers. */
const usualServers: Readonly<Record<ProviderKind, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': '',
};

interface Named {
  readonly provider: string;
  readonly model: string | undefined;
}

function nameOf({ provider, model }: ModelChoice, { settings }: ProviderEnvironment): Named | undefined {
  if (provider !== undefined) {
    const name = isProvider(provider) ? provider : provider.toLowerCase();
    // `provider/model` repeats the name; other slashes, as those of OpenRouter, belong to the model.
    const prefix = `${name}/`;
    return { provider: name, model: model?.startsWith(prefix) ? model.slice(prefix.length) : model };
  }
  if (model === undefined) return undefined;
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(0, slash));
  if (isProvider(prefix)) return { provider: prefix, model: model.slice(slash + 1) };
  const found = families.find(([, family]) => family.test(model));
  return found && { provider: found[0], model };

  function isProvider(name: string): boolean {
    return settings.providers.has(name) || knownProviders.has(name);
  }
}

/** Patterns of model names, by provider. */
const families: readonly (readonly [provider: string, model: RegExp])[] = [
  ['anthropic', /^claude/i],
  ['openai', /^(?:gpt|chatgpt|codex|o[134](?:$|-))/i],
  ['google', /^gemini/i],
];

type Key =
  | { readonly kind: 'key'; readonly key: string | undefined }
  | { readonly kind: 'missing'; readonly problem: string };

function keyOf(
  settings: ProviderSettings | undefined,
  known: KnownProvider | undefined,
  { variables }: ProviderEnvironment,
): Key {
  const own = settings?.api_key_env;
  // The key of a known provider is sent only to addresses of that provider.
  const names = own === undefined ? (known?.keyVariables ?? []) : [own];
  const key = names.map((name) => variables[name]?.trim()).find((value) => value);
  if (key !== undefined || names.length === 0) return { kind: 'key', key };
  return { kind: 'missing', problem: `${names.join(' or ')} is not set` };
}

function lacks(problem: string): ProviderReading {
  return { kind: 'lacks', problem };
}

function unknownModel(model: string | undefined): string {
  if (model === undefined) return 'no model is named: set llm_model, or "model" in the configuration';
  return `cannot tell which provider has the model "${model}": set llm_provider, or write "provider/model"`;
}

function unknownProvider(name: string, { settings }: ProviderEnvironment): string {
  const names = [...new Set([...knownProviders.keys(), ...settings.providers.keys()])];
  return `there is no provider "${name}"${didYouMean(name, names)}: use one of ${names.join(', ')}, or describe it under "providers" in the configuration`;
}
