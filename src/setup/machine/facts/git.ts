import type { FactFinder } from '../fact.js';
import { firstLineOf } from '../first-line.js';

/** Git, which only runs with `git=true` need. */
export const git: FactFinder = {
  group: 'machine',
  async find() {
    const line = await firstLineOf('git', ['--version']);
    return line === undefined
      ? [{ name: 'git', state: 'missing', found: 'not installed; `git=true` and --git need it' }]
      : [{ name: 'git', state: 'ok', found: line.replace(/^git version /, '') }];
  },
};
