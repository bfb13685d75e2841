import type { BackendSettings } from '../backends/settings.js';
import { findSecrets, type Variables } from '../secrets/find-secrets.js';
import { makeRedactor, type Redactor } from '../secrets/redactor.js';
import { shortestSecret } from '../secrets/secret.js';

/** Keys for a command. */
export interface Keys {
  /** Environment of the process, with the keys of the key file. */
  readonly variables: Variables;
  /** Names of the key file that tools do not inherit. */
  readonly hiddenVariables: ReadonlySet<string>;
  /** File in which keys are looked for; undefined without a home directory. */
  readonly keyFile: KeyFile | undefined;
  readonly redactor: Redactor;
}

interface KeyFile {
  readonly path: string;
  readonly exists: boolean;
  /** Variables that it sets. */
  readonly names: ReadonlySet<string>;
}

/** Process that runs commands, with its environment. */
export interface Environment {
  readonly env: Variables;
}

const redactors = new WeakMap<Environment, Redactor>();

/** Redactor for the output of a command, with all secrets known so far. */
export function redactorOf(io: Environment): Redactor {
  const known = redactors.get(io) ?? makeRedactor(findSecrets(io.env));
  redactors.set(io, known);
  return known;
}

/**
 * Keys for a run (DESIGN §4): those of the environment, and those of the key file that it lacks. From here
 * on the command prints none of them.
 * @throws RunError `usage` for an unusable key file
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
  const exported = content?.exported ?? new Set();
  for (const name of exported) passOn(name, variables);
  const redactor = makeRedactor(secrets);
  redactors.set(io, redactor);
  const hidden = ofFile.map(([name]) => name).filter((name) => !exported.has(name) && !io.env[name]);
  const names = new Set(ofFile.map(([name]) => name));
  const keyFile = file === undefined ? undefined : { path: file, exists: content !== undefined, names };
  return { variables, hiddenVariables: new Set(hidden), keyFile, redactor };
}

/** Exports a key to the environment of this process, the only one that tools inherit. */
function passOn(name: string, variables: Variables): void {
  process.env[name] ??= variables[name];
}

function definedIn(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
