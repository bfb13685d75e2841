import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, executable } from './attractor.js';

const pipeline = 'digraph p { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }\n';
const listing = `process.on('exit', () => {
  require('node:fs').writeFileSync('loaded', process.moduleLoadList.join('\\n'));
});\n`;

// Each part of Node takes as long to load as the check of several nodes.
test.each([
  ['a file', 'out.txt', 'w'],
  ['the null device', '/dev/null', 'w'],
])('lint to %s loads neither streams nor sockets of Node', (_name, file, flags) => {
  const cwd = directoryWith({ 'p.dot': pipeline, 'listing.cjs': listing });
  const output = openSync(path.resolve(cwd, file), flags);
  const args = ['--require', './listing.cjs', executable, 'lint', 'p.dot'];
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: ['ignore', output, 'pipe'] });
  closeSync(output);
  expect(status).toBe(0);
  const loaded = readFileSync(path.join(cwd, 'loaded'), 'utf8').split('\n');
  expect(loaded).toContain('NativeModule fs');
  for (const name of ['stream', 'net', 'tty']) expect(loaded).not.toContain(`NativeModule ${name}`);
});
