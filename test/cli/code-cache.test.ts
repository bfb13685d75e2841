import path from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../src/cli/code-cache.js';

test.each([
  [{ HOME: '/home/ada' }, 'linux', '/home/ada/.cache/attractor/code'],
  [{ HOME: '/home/ada', XDG_CACHE_HOME: '/var/tmp/ada' }, 'linux', '/var/tmp/ada/attractor/code'],
  [{ HOME: '/home/ada', XDG_CACHE_HOME: '' }, 'linux', '/home/ada/.cache/attractor/code'],
  [{ HOME: '/home/ada', XDG_CACHE_HOME: 'caches' }, 'linux', '/home/ada/.cache/attractor/code'],
  [{ HOME: '/Users/ada' }, 'darwin', '/Users/ada/Library/Caches/attractor/code'],
  [{ LOCALAPPDATA: '/c/Users/ada/AppData/Local' }, 'win32', '/c/Users/ada/AppData/Local/attractor/code'],
  [{ HOME: '' }, 'linux', undefined],
  [{ HOME: 'ada' }, 'linux', undefined],
  [{}, 'linux', undefined],
] as const)('of %j on %s, compiled code lies in %s', (env, platform, folder) => {
  const found = cacheFolder(env, platform);
  expect(found === undefined ? undefined : path.dirname(found)).toBe(folder);
  if (found !== undefined) expect(path.basename(found)).toContain(process.version);
});
