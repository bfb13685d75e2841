import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Opens files until the system refuses, and then starts a program. */
const script = `
import { openSync } from 'node:fs';
const files = [];
try { for (;;) files.push(openSync('/dev/null', 'r')); } catch {}
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
