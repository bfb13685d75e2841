import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { guardedStart } from '../../../src/backends/guarded-start.js';
import type { ProcessTree } from '../../../src/handlers/tools/process-tree.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Opens files until the system refuses, and then starts a program. */
const script = `
import { openSync as take } from 'node:fs';
const files = [];
try { for (;;) files.push(take('/dev/null', 'r')); } catch {}
let told;
try {
  guardedStart({ program: '/bin/true', args: [], directory: '/', environment: process.env }, 'pipe');
} catch (error) {
  told = [error.message, isShortage(error)];
}
setTimeout(() => process.stdout.write(JSON.stringify(told)), 100);
`;

test('a program that no files are left for is an error that may pass, and not the end of this process', async () => {
  const build = await rolldown({
    input: path.join(import.meta.dirname, '../../../src/backends/guarded-start.ts'),
    platform: 'node',
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const file = path.join(temporaryDirectory(), 'starter.mjs');
  writeFileSync(file, `${output[0].code}\n${script}`);
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, file];
  const told = execFileSync('/bin/sh', limited, { encoding: 'utf8' });
  expect(JSON.parse(told)).toEqual(['too many files are open', true]);
});

describe('two programs of one stage, as when a worker has lost its run to another one', () => {
  const program = {
    program: '/bin/sh',
    args: ['-c', 'echo ready; read -r line; echo "$line"'],
    directory: '/',
    environment: { ...process.env, ATTRACTOR_RUN_ID: 'run', ATTRACTOR_STAGE_DIR: '/nowhere/stage' },
  };

  test.each([
    ['SIGTERM', (tree: ProcessTree) => tree.signal('SIGTERM')],
    ['SIGKILL', (tree: ProcessTree) => tree.kill()],
  ])('the end of the earlier one by %s leaves the later one alone', async (_, end) => {
    const earlier = guardedStart(program, 'pipe');
    const later = guardedStart(program, 'pipe');
    const [one, other] = [earlier, later].map(({ child }) => ({
      printed: text(child.stdout as Readable),
      exit: once(child, 'exit'),
    }));
    await Promise.all([earlier, later].map(({ child }) => once(child.stdout as Readable, 'readable')));
    end(earlier.tree);
    await one?.exit;
    await earlier.tree.end();
    later.child.stdin?.end('still here\n');
    expect(await other?.exit).toEqual([0, null]);
    await later.tree.end();
    expect(await other?.printed).toBe('ready\nstill here\n');
  });
});
