import { fieldList, type RecordedField, type RecordedSettings } from '../run-directory/recorded-fields.js';

/**
 * Settings of a run that continues.
 * @param before those of its manifest
 * @param given those of this call; the row of each field says what that changes
 */
export function mergeSettings(before: RecordedSettings, given: RecordedSettings): RecordedSettings {
  const merged: RecordedSettings = Object.fromEntries(
    fieldList.map(([name, { onResume }]) => [name, mergedValue(onResume, before[name], given[name])]),
  );
  // A seed belongs to a simulation: it has no effect on a run that does real work from now on.
  return merged.simulate === true ? merged : { ...merged, seed: given.seed };
}

function mergedValue(onResume: RecordedField['onResume'], before: unknown, given: unknown): unknown {
  switch (onResume) {
    case 'kept':
    case 'renewed':
      return given ?? before;
    case 'replaced':
    case 'only':
      return given;
    case 'fixed':
      return before;
  }
}
