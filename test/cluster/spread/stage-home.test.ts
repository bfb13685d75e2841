import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openStageHome } from '../../../src/cluster/spread/stage-home.js';
import { thisOwner } from '../../../src/run-directory/lock-owner.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Number of no process. */
const dead = 2 ** 30;

test('a worker removes what stages of dead workers have left, and nothing of those that live', () => {
  const home = temporaryDirectory();
  const living = openStageHome(home, 'host-1-aaaaaaaa');
  mkdirSync(path.join(living.directory, 'stage'), { recursive: true });
  const left = path.join(home, '.stages', 'left');
  mkdirSync(path.join(left, 'stage'), { recursive: true });
  writeFileSync(`${left}.lock`, JSON.stringify({ ...thisOwner(), pid: dead }));
  const next = openStageHome(home, 'host-2-bbbbbbbb');
  expect(existsSync(left)).toBe(false);
  expect(existsSync(path.join(living.directory, 'stage'))).toBe(true);
  living.close();
  next.close();
  expect(readdirSync(path.join(home, '.stages'))).toEqual([]);
});
