import type { JsonValue } from '../graph/json.js';
import { foundText } from '../graph/values/found-text.js';
import { toJsonValue } from '../handlers/context.js';
import { messageOf } from '../handlers/error-category.js';
import { RunError } from '../run-directory/run-error.js';

/** Inputs of a run, with warnings about those that could not be kept as they were. */
export interface RunInputs {
  readonly values: Readonly<Record<string, JsonValue>>;
  /** Warnings for the run log. */
  readonly truncatedInputs: readonly string[];
}

/**
 * Inputs of a run (SEMANTICS 97) as JSON, like any values of the context (SEMANTICS 66a): a copy,
 * independent of the caller's object.
 * @throws RunError `usage` for anything but values by key
 */
export function readInputs(given: unknown): RunInputs {
  if (typeof given !== 'object' || given === null || Symbol.iterator in given)
    throw unusable(`they are ${foundText(given)}`);
  const truncatedInputs: string[] = [];
  const noteLoss = (key: string): void => {
    truncatedInputs.push(
      `the input "${key}" was set to a value that is not JSON; only the part that JSON can express is kept`,
    );
  };
  try {
    const values = Object.entries(given).map(([key, value]) => [
      key,
      toJsonValue(value, () => noteLoss(key)),
    ]);
    return { values: Object.fromEntries(values), truncatedInputs };
  } catch (error) {
    throw unusable(`they cannot be read: ${messageOf(error)}`);
  }
}

function unusable(why: string): RunError {
  return new RunError('usage', `the inputs of the run must be an object of keys and values; ${why}`);
}
