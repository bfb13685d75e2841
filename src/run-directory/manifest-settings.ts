import { noRedactor, type Redactor } from '../secrets/redactor.js';
import type { Manifest } from './manifest.js';
import { type FieldName, fieldList, type RecordedField, type RecordedSettings } from './recorded-fields.js';
import { keptKey } from './recorded-settings.js';
import { runFiles } from './run-files.js';
import { emptyScript, readScript, type SimulationScript, scriptToJson } from './simulation-script.js';

type KeptOptions = Omit<Manifest['options'], 'has_backend' | 'handler_types'>;

/** Settings that a run was started with, and those that were renewed since. */
export function settingsOf(manifest: Manifest): RecordedSettings {
  const kept: Readonly<Record<string, unknown>> = manifest.options;
  const fields = fieldList.flatMap(([name, field]) => {
    const value = kept[keptKey(name, field) ?? ''];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(fields),
    script: recordedScript(manifest),
    inputs: manifest.inputs,
    sourcePath: manifest.source ?? undefined,
    workingDirectory: manifest.working_directory,
    runId: manifest.run_id,
  };
}

/** Script that a run was started with. */
export function recordedScript({ options }: Manifest): SimulationScript {
  return options.script === undefined ? emptyScript : readScript(options.script, runFiles.manifest);
}

/**
 * Settings as the options of a manifest.
 * @param redactor removes secrets from the script
 */
export function optionsOf(settings: RecordedSettings, redactor: Redactor = noRedactor): KeptOptions {
  const written = fieldList.flatMap(([name, field]) => writtenField(name, field, settings[name], redactor));
  return Object.fromEntries(written) as KeptOptions;
}

/**
 * Options that a resume writes into the manifest (SEMANTICS 86): those that it gives, that may be renewed,
 * and that differ.
 */
export function renewedOptions(
  before: RecordedSettings,
  given: RecordedSettings,
  redactor: Redactor = noRedactor,
): Partial<KeptOptions> {
  const renewed = fieldList.filter(
    ([name, { onResume }]) =>
      onResume === 'renewed' && given[name] !== undefined && given[name] !== before[name],
  );
  return Object.fromEntries(
    renewed.flatMap(([name, field]) =>
      // Left out, it would stay on.
      given[name] === false
        ? [[keptKey(name, field) ?? '', false] as const]
        : writtenField(name, field, given[name], redactor),
    ),
  );
}

/** Field as it is written; a switch that is off is left out, except for those that each manifest has. */
function writtenField(
  name: FieldName,
  field: RecordedField,
  given: unknown,
  redactor: Redactor,
): readonly (readonly [key: string, value: unknown])[] {
  const key = keptKey(name, field);
  const value = field.kept === 'always' ? (given ?? false) : given;
  if (key === undefined || value === undefined || (value === false && field.kept !== 'always')) return [];
  return [[key, field.kind === 'script' ? redactor.json(scriptToJson(value as SimulationScript)) : value]];
}
