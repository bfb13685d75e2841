import path from 'node:path';
import { describeIssues } from '../handlers/describe-issues.js';
import { RunError } from '../run-directory/run-error.js';
import { findSecrets } from '../secrets/find-secrets.js';
import type { Secret } from '../secrets/secret.js';
import { autoBackend, oneBackend } from './auto.js';
import type { BackendEnvironment, ClosableBackend } from './backend.js';
import { builtInBackends } from './index.js';
import { withPrices } from './prices.js';
import { keyVariablesOf, secretsOfSettings } from './secrets-of-settings.js';
import type { BackendSettingsInput } from './settings.js';
import { backendSettings } from './settings-schema.js';

export interface BackendOptions {
  /** Directory in which the run works; by default the current directory of the process. */
  readonly workingDirectory?: string;
  /** Settings of the backends, with the keys of the configuration file. */
  readonly settings?: BackendSettingsInput;
  /** Source of keys and addresses; by default the environment of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/**
 * One of our backends for a program that runs pipelines itself (§4.5): `ai`, `acp` or `command` for all
 * stages, or `auto`, which chooses one for each by its `llm_provider` and `llm_model`, and fails stages for
 * which there is none. The caller must close it.
 * @throws RunError `usage` for an unknown name or unusable settings
 */
export async function createBackend(name: string, options: BackendOptions = {}): Promise<ClosableBackend> {
  const environment = environmentOf(options);
  const backend = await backendNamed(name, environment);
  const priced = withPrices(backend, environment.settings.prices);
  return {
    readsFiles: (...call) => priced.readsFiles?.(...call) ?? false,
    run: (...call) => priced.run(...call),
    mayCost: (model) => priced.mayCost?.(model) ?? true,
    providerOf: (call) => priced.providerOf?.(call),
    close: () => backend.close?.(),
    knownSecrets: secretsOf(environment),
  };
}

/** Secrets, as in a run of the command line: every key that the settings name, whatever its name. */
function secretsOf({ settings, variables }: BackendEnvironment): readonly Secret[] {
  return [...findSecrets(variables, keyVariablesOf(settings)), ...secretsOfSettings(settings)];
}

function environmentOf({
  workingDirectory = '.',
  settings = {},
  variables,
}: BackendOptions): BackendEnvironment {
  const parsed = backendSettings.safeParse(settings);
  if (!parsed.success) {
    throw new RunError('usage', `createBackend: settings: ${describeIssues(parsed.error, settings)}`);
  }
  return {
    workingDirectory: path.resolve(workingDirectory),
    settings: parsed.data,
    variables: variables ?? process.env,
  };
}

async function backendNamed(name: string, environment: BackendEnvironment): Promise<ClosableBackend> {
  if (name === 'auto') return autoBackend(environment);
  const definition = builtInBackends.find((one) => one.name === name);
  if (definition !== undefined) return oneBackend(definition, environment);
  const known = ['auto', ...builtInBackends.map((one) => one.name)].join(', ');
  throw new RunError('usage', `createBackend: there is no backend "${name}". Available: ${known}`);
}
