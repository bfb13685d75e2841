import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporary-directory.js';

/** A file system of 256 KiB of its own for one test; undefined where none can be mounted. */
export function smallDisk(): string | undefined {
  const directory = temporaryDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'attractor-test', directory]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', directory]));
  return directory;
}

/** Leaves no room on a disk; names of files can still be made. */
export function fillDisk(disk: string): void {
  spawnSync('/bin/sh', ['-c', 'cat /dev/zero > ballast'], { cwd: disk });
}
