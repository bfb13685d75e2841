import { renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { verifyReplay } from '../../../src/run/recording/verify-replay.js';
import { eventsOf, pipeline, runOnDisk } from '../../run/harness.js';
import { repositoryWith } from '../workspaces/git/repository.js';

const dot = pipeline(
  'where [shape=parallelogram, tool_command="pwd; echo $ATTRACTOR_STAGE_DIR"]',
  'again [shape=parallelogram, tool_command="echo ${context.tool.output}"]',
  'start -> where -> again -> exit',
);

test('a recorded run with git, whose tools print where they are, has the same journal when it is played back', async () => {
  const repository = repositoryWith({ 'main.dot': dot });
  const runs = path.join(repository.directory, '.attractor', 'runs');
  const { result, events, directory } = await runOnDisk(dot, {
    ...{ git: true, record: true, workingDirectory: repository.directory },
    runDirectory: path.join(runs, 'one'),
  });
  expect(result.status).toBe('success');
  const [where] = eventsOf(events, 'StageCompleted').filter(({ node_id }) => node_id === 'where');
  // It is not the directory of the repository, where the replay is.
  expect(JSON.stringify(where)).toContain(`${directory}/`);
  expect(await verifyReplay(directory, compile(dot))).toMatchObject({ identical: true, status: 'success' });

  const moved = path.join(runs, 'moved');
  renameSync(directory, moved);
  expect(await verifyReplay(moved, compile(dot))).toMatchObject({ identical: true, status: 'success' });
});
