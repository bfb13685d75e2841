import type { z } from 'zod';
import { didYouMean } from '../diagnostic/did-you-mean.js';

/** One thing that is wrong with a value, with the way to it from the outside in. */
export interface PluginProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Describes the problems of a value: which field, what was expected, and for an unknown key the key that
 * was probably meant.
 * @param keysAt the possible keys at a path
 */
export function describeProblems(
  error: z.ZodError,
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): readonly PluginProblem[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: inWords(issue.message) }];
    const known = keysAt(issue.path);
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `unknown key${didYouMean(key, known) || `; expected ${known.map((name) => `"${name}"`).join(', ')}`}`,
    }));
  });
}

/** `rules.goal_set`, `plugins[1].module`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .slice(1);
}

function inWords(message: string): string {
  const text = message.replace(/^Invalid (?:input|option): /, '').replaceAll('"|"', '", "');
  return text.replace('received undefined', 'but it is missing');
}
