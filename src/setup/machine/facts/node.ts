import type { FactFinder } from '../fact.js';

/** Oldest version that works: `engines` of the package. */
const oldest = [20, 19] as const;

/** Node.js, and its version. */
export const node: FactFinder = {
  group: 'machine',
  async find() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
    const found = process.versions.node;
    return isOld
      ? [{ name: 'node', state: 'problem', found, help: `install Node.js ${oldest.join('.')} or newer` }]
      : [{ name: 'node', state: 'ok', found }];
  },
};
