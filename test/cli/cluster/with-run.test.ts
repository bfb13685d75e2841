import { expect, test } from 'vitest';
import { findInCluster } from '../../../src/cli/cluster/with-run.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const empty = { list: async () => [], find: async () => undefined };

test.each([
  ['that the call names', { database: 'postgresql://a/b' }],
  ['that the environment names', {}],
])('a database %s has no runs: the message says so', async (_what, given) => {
  const cwd = temporaryDirectory();
  const found = findInCluster(empty, undefined, given, { cwd: () => cwd });
  await expect(found).rejects.toThrow('there are no runs in the database');
});
