import type { BackendSettings } from '../settings.js';
import { knownProviders } from './known-providers.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Environment for commands of a model, without the keys of model providers. */
export function withoutKeys(
  variables: Variables,
  { providers }: Pick<BackendSettings, 'providers'>,
): Variables {
  const keys = new Set([
    ...[...knownProviders.values()].flatMap(({ keyVariables }) => keyVariables),
    ...[...providers.values()].flatMap(({ api_key_env: name }) => name ?? []),
  ]);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !keys.has(name)));
}
