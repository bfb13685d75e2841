import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runShell } from '../../../src/backends/run-shell.js';
import { processes } from '../../support/processes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { waitFor } from '../../support/wait-for.js';

test.skipIf(!existsSync('/proc/self/environ'))(
  'A4: a command ends with all that it has started, and leaves the other commands of its stage alone',
  async () => {
    const directory = temporaryDirectory();
    const marks = { ATTRACTOR_RUN_ID: randomUUID(), ATTRACTOR_STAGE_DIR: directory };
    const stops = new AbortController();
    const run = (command: string) =>
      runShell(
        {
          command,
          directory,
          environment: { ...process.env, ...marks },
          timeout: 100_000,
          onOutput: () => {},
        },
        stops.signal,
      );
    const starts = (name: string, next: string) =>
      `setsid sh -c 'trap "" TERM; echo $$ > ${name}; while :; do sleep 0.05; done' & until test -s ${name}; do sleep 0.05; done; ${next}`;
    const isAlive = (name: string) => {
      const pid = Number(readFileSync(path.join(directory, name), 'utf8'));
      return processes().some((one) => one.pid === pid);
    };
    const first = run(starts('one', 'until test -e two; do sleep 0.05; done'));
    await waitFor('the first one', () => existsSync(path.join(directory, 'one')));
    const second = run(starts('two', 'exec sleep 1000'));
    expect(await first).toEqual({ kind: 'code', code: 0 });
    expect([isAlive('one'), isAlive('two')]).toEqual([false, true]);
    stops.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(isAlive('two')).toBe(false);
  },
);
