import type { BackendSettings } from '../backends/settings.js';
import { findSecrets, type Variables } from '../secrets/find-secrets.js';
import { makeRedactor, type Redactor } from '../secrets/redactor.js';
import { shortestSecret } from '../secrets/secret.js';

/** What a command has to do with keys. */
export interface Keys {
  /** The environment of the process, and with it what the key file has. */
  readonly variables: Variables;
  readonly redactor: Redactor;
}

/** Whoever runs commands, and the environment that it has. */
export interface Environment {
  readonly env: Variables;
}

const redactors = new WeakMap<Environment, Redactor>();

/** What keeps secrets out of what a command prints: those that it knows of by now. */
export function redactorOf(io: Environment): Redactor {
  const known = redactors.get(io) ?? makeRedactor(findSecrets(io.env));
  redactors.set(io, known);
  return known;
}

/**
 * The keys for a run (DESIGN §4): those of the environment, and those of the key file that it does not have. From here on
 * nothing that the command prints has any of them.
 * @throws RunError `usage` for a key file that cannot be used
 */
export async function keysFor(settings: BackendSettings, io: Environment): Promise<Keys> {
  const { readKeyFile, usualKeyFile } = await import('../backends/key-file.js');
  const { keyVariablesOf, secretsOfSettings } = await import('../backends/secrets-of-settings.js');
  const file = settings.keys_file ?? usualKeyFile(io.env);
  const content = file === undefined ? undefined : readKeyFile(file, settings.keys_file !== undefined);
  const ofFile = [...(content?.variables ?? [])];
  const variables: Variables = { ...Object.fromEntries(ofFile), ...definedIn(io.env) };
  const secrets = [
    ...findSecrets(variables, keyVariablesOf(settings)),
    ...ofFile.flatMap(([name, value]) => (value.length < shortestSecret ? [] : [{ name, value }])),
    ...secretsOfSettings(settings),
  ];
  for (const name of content?.exported ?? []) passOn(name, variables);
  const redactor = makeRedactor(secrets);
  redactors.set(io, redactor);
  return { variables, redactor };
}

/** Tools inherit the environment of this process, and nothing else: an exported key goes there. */
function passOn(name: string, variables: Variables): void {
  process.env[name] ??= variables[name];
}

function definedIn(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
