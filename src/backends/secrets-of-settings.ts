import { findSecrets } from '../secrets/find-secrets.js';
import { type Secret, shortestSecret } from '../secrets/secret.js';
import { isSecretName } from '../secrets/secret-names.js';
import type { BackendSettings } from './settings.js';

/** Variables that hold keys according to the configuration. */
export function keyVariablesOf({ providers }: Pick<BackendSettings, 'providers'>): readonly string[] {
  return [...providers.values()].flatMap(({ api_key_env: name }) => name ?? []);
}

/** Secrets written into the configuration itself: keys in headers, and in the environments of programs. */
export function secretsOfSettings({
  providers,
  mcp_servers: servers,
  agents,
}: BackendSettings): readonly Secret[] {
  const headers = [...providers.values(), ...servers.values()].flatMap((one) => secretHeaders(one.headers));
  const variables = [...servers.values(), ...agents.values()].flatMap(({ env = {} }) => findSecrets(env));
  return [...headers, ...variables];
}

function secretHeaders(headers: Readonly<Record<string, string>> = {}): readonly Secret[] {
  return Object.entries(headers).flatMap(([name, written]) => {
    const isSecret = /authorization/i.test(name) || isSecretName(name.replaceAll('-', '_'));
    const value = written.replace(/^(?:bearer|basic|token)\s+/i, '').trim();
    return isSecret && value.length >= shortestSecret ? [{ name, value }] : [];
  });
}
