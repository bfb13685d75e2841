import { sha256 } from '../../run-directory/sha256.js';

/** Characters of a value that are kept; of a longer one, how long it is and its hash. */
const valueKept = 1000;

/**
 * A value of the environment as a recording keeps it.
 * @param plain takes out of a text what is another one in each run: places, ids, times
 */
export function recordedValue(value: string, plain: (text: string) => string): string {
  return value.length <= valueKept ? value : hashOf(plain(value), plainForm);
}

/** The same value in the form that a recorded one has, so that they can be compared. */
export function valueAsRecorded(value: string, recorded: string, plain: (text: string) => string): string {
  if (hasForm(recorded, plainForm)) return hashOf(plain(value), plainForm);
  // Earlier recordings have the hash of the text as it was.
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
