import type { JsonValue } from '../graph/json.js';
import type { Redactor } from '../secrets/redactor.js';
import { type FieldName, fieldList, type RecordedSettings } from './recorded-fields.js';
import { readScript, type SimulationScript, scriptToJson } from './simulation-script.js';

/** Settings of a call on their way to another process, by field: plain data without secrets. */
export type SettingsData = Readonly<Record<string, JsonValue>>;

/** Settings as plain data. */
export function dataOfSettings(settings: RecordedSettings, redactor: Redactor): SettingsData {
  const entries = fieldList.flatMap(([name, { kind }]) => {
    const value = settings[name];
    if (value === undefined) return [];
    if (kind === 'script') return [[name, scriptToJson(value as SimulationScript)]];
    if (kind === 'answers') return [[name, Object.fromEntries(value as ReadonlyMap<string, JsonValue>)]];
    return [[name, value]];
  });
  return redactor.json(Object.fromEntries(entries));
}

/**
 * The settings as they were. `parseRunSettings` checks their values.
 * @throws RunError `usage` for a script that is not valid
 */
export function settingsOfData(data: SettingsData): RecordedSettings {
  const given = new Map<string, JsonValue>(Object.entries(data));
  const entries = fieldList.flatMap(([name, { kind }]): readonly (readonly [FieldName, unknown])[] => {
    const value = given.get(name);
    if (value === undefined) return [];
    if (kind === 'script') return [[name, readScript(value, 'of the call')]];
    if (kind === 'answers') return [[name, new Map(Object.entries(value ?? {}))]];
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}

/**
 * Settings that another process needs which continues with the same call: not those that the journal has, nor the place where the
 * call has begun.
 */
export function lastingSettings(settings: RecordedSettings): RecordedSettings {
  const lasting = fieldList.filter(
    ([, { onResume, kind }]) => onResume === 'kept' || onResume === 'renewed' || kind === 'answers',
  );
  return Object.fromEntries(lasting.map(([name]) => [name, settings[name]]));
}
