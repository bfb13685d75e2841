import { expect, test } from 'vitest';
import { runCommandTool } from '../../../../src/backends/ai/tools/run-command.js';
import { noRedactor } from '../../../../src/secrets/redactor.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { waitFor } from '../../../support/wait-for.js';

test('a command of a model that takes too long is stopped, with all that it has started', async () => {
  const root = temporaryDirectory();
  const mark = `sleep 98${process.pid}`;
  const call = runCommandTool.run(
    { command: `trap '' TERM; ${mark} & ${mark}`, timeout_seconds: 0.3 },
    {
      root,
      runDirectory: `${root}/run`,
      signal: new AbortController().signal,
      redactor: noRedactor,
      commandTimeout: 20_000,
      environment: () => ({ PATH: process.env.PATH }),
    },
  );
  await expect(call).rejects.toThrow(/^stopped after 0.3 seconds/);
  await waitFor('the processes to end', () => !processes().some(({ command }) => command.includes(mark)));
});
