import type { JsonValue } from '../../graph/json.js';
import { readTyped } from '../../parser/key-list/value-type.js';

/**
 * Values by key, `key=value` on each line. A value is JSON where it can be read as a number, a boolean, null, a list or an object,
 * and a text otherwise, as those of `--set` are (SEMANTICS 97). What is wrong with the lines is a text.
 */
export function readAssignments(text: string): ReadonlyMap<string, JsonValue> | string {
  const values = new Map<string, JsonValue>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
    if (key.trim() === '')
      return `line ${index + 1} is "${line.trim()}"; expected key=value, for instance tests_passed=true`;
    values.set(key.trim(), readTyped(undefined, value.trim()) ?? null);
  }
  return values;
}
