import { findProvider } from '../../../backends/ai/find-provider.js';
import { knownProviders } from '../../../backends/ai/known-providers.js';
import type { Fact, FactFinder, MachineEnvironment } from '../fact.js';

/** Providers of models, with the variables of their keys and where these come from; never a key. */
export const providers: FactFinder = {
  group: 'providers',
  async find(machine) {
    const { settings } = machine.extensions;
    const names = new Set([...knownProviders.keys(), ...settings.providers.keys()]);
    return [...names].map((name) => factOf(name, machine));
  },
};

function factOf(name: string, machine: MachineEnvironment): Fact {
  const { keys, extensions } = machine;
  const { settings } = extensions;
  const model = { provider: name, model: 'any', reasoningEffort: 'low' };
  const reading = findProvider(model, { settings, variables: keys.variables });
  if (reading.kind !== 'found') return { name, state: 'missing', found: reading.problem };
  const { apiKey, baseUrl } = reading.address;
  const address = baseUrl === undefined ? '' : `, at ${withoutPassword(baseUrl)}`;
  const found = apiKey === undefined ? 'needs no key' : keySource(name, apiKey, machine);
  return { name, state: 'ok', found: `${found}${address}` };
}

function keySource(name: string, key: string, { keys, extensions, environment }: MachineEnvironment): string {
  const own = extensions.settings.providers.get(name)?.api_key_env;
  const names = own === undefined ? (knownProviders.get(name)?.keyVariables ?? []) : [own];
  const variable = names.find((one) => keys.variables[one]?.trim() === key) ?? '';
  const source = environment[variable]?.trim() === key ? 'the environment' : 'the key file';
  return `${variable} from ${source}`;
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
