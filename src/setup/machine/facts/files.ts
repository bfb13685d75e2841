import { counted } from '../../../diagnostic/counted.js';
import type { FactFinder } from '../fact.js';

/** The files that are read for every run: the configuration and the key file. */
export const files: FactFinder = {
  group: 'machine',
  async find({ configurations, keys: { keyFile } }) {
    return [
      configurations.length === 0
        ? {
            name: 'configuration',
            state: 'missing',
            found: 'no attractor.config.json or .yaml here or above',
          }
        : { name: 'configuration', state: 'ok', found: configurations.join(', ') },
      keyFile === undefined || !keyFile.exists
        ? { name: 'key file', state: 'missing', found: keyFile === undefined ? 'none' : `no ${keyFile.path}` }
        : {
            name: 'key file',
            state: 'ok',
            found: `${keyFile.path} (${counted(keyFile.names.size, 'variable')})`,
          },
    ];
  },
};
