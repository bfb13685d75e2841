import { expect, test } from 'vitest';
import { eventsOf, pipeline, runOnDisk } from '../../run/harness.js';
import { differenceOf } from '../../run/recording/play.js';
import { runIn } from '../workspaces/git/git-run.js';
import { repositoryWith } from '../workspaces/git/repository.js';

test('what git keeps of an attempt that is made again is no difference of a replay', async () => {
  const repository = repositoryWith({ 'a.txt': 'a' });
  const dot = pipeline(
    'b [shape=parallelogram, max_retries=1, tool_command="echo b >> a.txt; test $ATTRACTOR_ATTEMPT = 2"]',
    'start -> b -> exit',
  );
  const recorded = await runIn(repository, dot, { record: true });
  expect(recorded.result.status).toBe('success');
  expect(eventsOf(recorded.events, 'LogAppended')).toMatchObject([
    { level: 'warning', node_id: 'b', about_files: true },
  ]);
  const replayed = await runOnDisk(dot, { replay: recorded.directory });
  expect(replayed.result.status).toBe('success');
  expect(differenceOf(recorded.directory, replayed.directory)?.diff).toBeUndefined();
});
