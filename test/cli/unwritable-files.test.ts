import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { attractor } from './attractor.js';

const dot = 'digraph g { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }';
async function projectWithRun(): Promise<string> {
  const cwd = temporaryDirectory();
  writeFileSync(path.join(cwd, 'p.dot'), dot);
  mkdirSync(path.join(cwd, 'directory'));
  await attractor(['run', 'p.dot', '--run-dir', 'old'], { cwd });
  return cwd;
}

const noDirectory = existsSync('/proc/self') ? '/proc/nope/x' : 'p.dot/x';

test.each([
  ['render p.dot -o missing/x.svg', 'cannot write missing/x.svg'],
  ['render p.dot --format svg -o directory', 'cannot write directory: it is a directory'],
  ['report old -o missing/x.html', 'cannot write missing/x.html'],
  ['run p.dot --run-dir p.dot', 'cannot be created'],
  [`run p.dot --run-dir ${noDirectory}`, 'cannot be created'],
  ['fork old --step 0 --run-dir p.dot', 'cannot be created'],
  [`fork old --step 0 --run-dir ${noDirectory}`, 'cannot be created'],
  [`serve --port 0 --token-file token --home ${noDirectory}`, 'cannot be stored in'],
  [`serve --port 0 --token-file ${noDirectory}`, 'the token file'],
])('a file that cannot be written is exit status 2: %s', async (command, message) => {
  const cwd = await projectWithRun();
  const { status, stderr } = await attractor(command.split(' '), { cwd });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
  expect(stderr).not.toContain('this is a bug');
});
