import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { runsHome } from '../../find-run.js';
import type { Fact, FactFinder } from '../fact.js';

/** The directory of runs: its file system, and if it can be written. */
export const runs: FactFinder = {
  group: 'machine',
  async find({ directory }) {
    const home = runsHome(directory);
    const existing = nearestExisting(home);
    try {
      accessSync(existing, constants.W_OK | constants.X_OK);
    } catch {
      const help = 'change its permissions, or name another directory with --run-dir';
      return [{ name: 'runs', state: 'problem', found: `${existing} cannot be written`, help }];
    }
    return [describe(home, existing)];
  },
};

function describe(home: string, existing: string): Fact {
  const { type, bavail, bsize } = statfsSync(existing);
  const name = fileSystems.get(type);
  const free = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB free`;
  const found = `${home} (${name === undefined ? '' : `${name}, `}${free})`;
  return {
    name: 'runs',
    state: 'ok',
    found: volatile.has(type) ? `${found}; lost when the machine restarts` : found,
  };
}

function nearestExisting(directory: string): string {
  return existsSync(directory) || directory === path.dirname(directory)
    ? directory
    : nearestExisting(path.dirname(directory));
}

const tmpfs = 0x01021994;
const volatile: ReadonlySet<number> = new Set([tmpfs]);

/** Names of file systems by the number that Linux gives them. */
const fileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0x794c7630, 'overlay'],
  [tmpfs, 'tmpfs'],
  [0x6969, 'nfs'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb'],
  [0x65735546, 'fuse'],
  [0x01021997, '9p'],
]);
