import { sha256 } from '../../run-directory/sha256.js';

/** Characters of a value that are kept; of a longer one, its length and its hash. */
const valueKept = 1000;

/**
 * Value of the environment in the form for a recording.
 * @param normalize removes anything that differs between runs: locations, ids, times
 */
export function recordedValue(value: string, normalize: (text: string) => string): string {
  return value.length <= valueKept ? value : hashOf(normalize(value), plainForm);
}

/** Value in the form of a recorded one, so that they can be compared. */
export function valueAsRecorded(
  value: string,
  recorded: string,
  normalize: (text: string) => string,
): string {
  if (hasForm(recorded, plainForm)) return hashOf(normalize(value), plainForm);
  // Earlier recordings have the hash of the original text.
  if (hasForm(recorded, wholeForm)) return hashOf(value, wholeForm);
  return value;
}

const plainForm = 'characters without places and times, sha-256';
const wholeForm = 'characters, sha-256';

function hashOf(text: string, form: string): string {
  return `${text.length} ${form} ${sha256(text)}`;
}

function hasForm(recorded: string, form: string): boolean {
  return new RegExp(`^\\d+ ${form} [0-9a-f]{64}$`).test(recorded);
}
