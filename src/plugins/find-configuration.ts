import { existsSync } from 'node:fs';
import path from 'node:path';
import { RunError } from '../run-directory/run-error.js';

/** What a configuration file may be called. */
export const configurationNames = [
  'attractor.config.json',
  'attractor.config.yaml',
  'attractor.config.yml',
] as const;

/**
 * The configuration file for what lies in a directory: the nearest one, there or further up.
 * @throws RunError `usage` where a directory has two of them
 */
export function findConfiguration(directory: string): string | undefined {
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    const found = configurationNames.filter((name) => existsSync(path.join(folder, name)));
    if (found.length > 1) {
      throw new RunError(
        'usage',
        `${folder} has ${found.join(' and ')}: keep one of them, or name one with --config`,
      );
    }
    if (found[0] !== undefined) return path.join(folder, found[0]);
    if (folder === path.dirname(folder)) return undefined;
  }
}
