import { fieldList, type RecordedSettings } from '../../run-directory/recorded-fields.js';
import type { RunPorts } from '../run-options.js';
import type { RunSettings, SettledPorts } from '../run-settings.js';

/**
 * Ports that a child shares with the run above. It has its own observers and signals; any port missing in
 * this list stays with the run above.
 */
const inheritedPorts = [
  'handlers',
  'backend',
  'interviewer',
  'shouldRetry',
  'transforms',
  'rules',
  'ruleSettings',
  'onChildEvent',
  'onText',
  'onNotice',
  'secrets',
  'childPolicy',
  'bounds',
  'clock',
  'fileSystem',
  'variables',
] as const satisfies readonly (keyof RunPorts)[];

/** Settings that a run passes on to the pipelines of its stages (§9.4): those whose row says so. */
export function inheritSettings({ recorded, ports }: RunSettings): RunSettings {
  const inherited: RecordedSettings = Object.fromEntries(
    fieldList.flatMap(([name, field]) => (field.inherited === true ? [[name, recorded[name]]] : [])),
  );
  const { handlers, secrets, fileSystem, variables } = ports;
  const kept: Partial<SettledPorts> = Object.fromEntries(inheritedPorts.map((name) => [name, ports[name]]));
  return {
    recorded: inherited,
    ports: { ...kept, handlers, secrets, fileSystem, variables, properties: propertiesBelow(ports) },
    truncatedInputs: [],
  };
}

/** Properties for the pipelines of stages: those of a file are about its pipeline alone (SEMANTICS 144). */
export function propertiesBelow({
  properties,
}: Pick<SettledPorts, 'properties'>): SettledPorts['properties'] {
  return properties?.filter(({ origin }) => origin === 'configuration');
}
