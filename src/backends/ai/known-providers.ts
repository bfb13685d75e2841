import type { builtInProviders } from '../../graph/model-choice.js';
import type { ProviderSettings } from '../settings.js';

export type ProviderKind = NonNullable<ProviderSettings['kind']>;

type Variables = Readonly<Record<string, string | undefined>>;

/** Provider that needs no settings: its address, and the variables of its key. */
export interface KnownProvider {
  readonly kind: ProviderKind;
  /** Variables of the key, the first that is set counts; if there are any, one of them is needed. */
  readonly keyVariables: readonly string[];
  /** Address of its servers; by default that of the provider's own library. */
  readonly baseUrl?: string;
  /** Address in the environment, which overrides `baseUrl`. */
  baseUrlFrom(variables: Variables): string | undefined;
}

/** Providers by the names that `llm_provider` gives them (§8.5). */
export const knownProviders: ReadonlyMap<string, KnownProvider> = new Map(
  Object.entries({
    anthropic: {
      kind: 'anthropic',
      keyVariables: ['ANTHROPIC_API_KEY'],
      baseUrlFrom: (variables) => withVersion(variables.ANTHROPIC_BASE_URL, 'v1'),
    },
    openai: {
      kind: 'openai',
      keyVariables: ['OPENAI_API_KEY'],
      baseUrlFrom: (variables) => withVersion(variables.OPENAI_BASE_URL, 'v1'),
    },
    google: google(),
    gemini: google(),
    ollama: { ...local('http://localhost:11434/v1'), baseUrlFrom: ollamaHost },
    vllm: local('http://localhost:8000/v1'),
    lmstudio: local('http://localhost:1234/v1'),
    openrouter: { ...local('https://openrouter.ai/api/v1'), keyVariables: ['OPENROUTER_API_KEY'] },
  } satisfies Readonly<Record<(typeof builtInProviders)[number], KnownProvider>>),
);

function google(): KnownProvider {
  return {
    kind: 'google',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    baseUrlFrom: (variables) => withVersion(variables.GOOGLE_GEMINI_BASE_URL, 'v1beta'),
  };
}

function local(baseUrl: string): KnownProvider {
  return { kind: 'openai-compatible', keyVariables: [], baseUrl, baseUrlFrom: () => undefined };
}

/**
 * Adds the version of the interface, which these variables lack because they are meant for the providers'
 * own programs.
 */
function withVersion(url: string | undefined, version: string): string | undefined {
  if (url === undefined || url.trim() === '') return undefined;
  const bare = url.trim().replace(/\/+$/, '');
  return /\/v\d+[a-z]*$/.test(bare) ? bare : `${bare}/${version}`;
}

/**
 * Address from `OLLAMA_HOST`, a host with or without scheme and port; a server that listens everywhere is
 * on this machine too.
 */
function ollamaHost({ OLLAMA_HOST }: Variables): string | undefined {
  const host = OLLAMA_HOST?.trim();
  if (host === undefined || host === '') return undefined;
  const address = host.includes('://') ? host : `http://${host}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !host.includes('://')) url.port = '11434';
  return `${url.origin}/v1`;
}
