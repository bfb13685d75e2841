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

test('a run that is not there: the message names the one that may be meant', async () => {
  const runs = ['20261129-110013-two-leyryu', '20261128-090000-one-abcdef'].map((runId) => ({ runId }));
  const cluster = { ...empty, list: async () => runs as never };
  const found = findInCluster(
    cluster,
    '20261129-110013-two',
    { database: 'postgresql://a/b' },
    { cwd: () => '/' },
  );
  await expect(found).rejects.toThrow(
    'there is no run "20261129-110013-two" in the database (did you mean "20261129-110013-two-leyryu"?)',
  );
});
