import { expect, test } from 'vitest';
import { directoryWithFiles, findInCluster } from '../../../src/cli/cluster/with-run.js';
import { submitted } from '../../cluster/harness.js';
import { MemoryRun } from '../../cluster/memory-cluster.js';
import { pipeline } from '../../run/harness.js';
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

test('files that workers have stored in a directory of their own are said to be missing, and where they are', async () => {
  const cluster = await submitted(pipeline('graph [llm_provider=simulated]', 'a', 'start -> a -> exit'));
  await cluster.work();
  const run = new MemoryRun(cluster);
  await run.refresh();
  const shown = async (inCluster: MemoryRun): Promise<string> => {
    const said: string[] = [];
    const stderr = { write: (text: string) => said.push(text) > 0 };
    const named = { directory: temporaryDirectory(), inCluster, cluster: undefined };
    await directoryWithFiles(named, { stderr });
    return said.join('');
  };
  expect(await shown(run)).toBe('');
  const elsewhere = Object.assign(Object.create(run), {
    history: run.history,
    files: { get: async () => new Map(), put: async () => undefined },
  });
  const { runId } = run.history.submission;
  expect(await shown(elsewhere)).toMatch(
    new RegExp(
      `^attractor: the database does not have \\d+ files of the run, the first \\S+; if its workers were started with --files DIR, name that directory: attractor pull ${runId} --files DIR\n$`,
    ),
  );
});
