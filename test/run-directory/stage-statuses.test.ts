import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileStamps } from '../../src/run-directory/file-stamps.js';
import { StageFiles } from '../../src/run-directory/stage-files.js';
import { StageStatuses } from '../../src/run-directory/stage-statuses.js';
import { memoryFileSystem } from '../support/memory-file-system.js';

const root = '/dev/null/run';

function open(isCache: boolean) {
  const disk = memoryFileSystem();
  for (const directory of ['/dev', '/dev/null', root]) if (!disk.exists(directory)) disk.mkdir(directory);
  const stamps = new FileStamps(disk, () => Date.now());
  const files = new StageFiles(root, disk, stamps);
  const statuses = new StageStatuses(files, stamps, isCache);
  const fileOf = (stage: string): string => path.join(root, stage, 'status.json');
  const onDisk = (stage: string): string | undefined =>
    disk.exists(fileOf(stage)) ? disk.readFile(fileOf(stage)).toString() : undefined;
  return { disk, files, statuses, onDisk, fileOf };
}

test('the status of a stage is written at once', () => {
  const { statuses, onDisk } = open(false);
  statuses.write('a', 'one');
  expect(onDisk('a')).toBe('one');
});

describe('in a directory that is a cache, the status of a stage that leaves no files', () => {
  test('is written when others learn of any directory, and from then on at once', () => {
    const { files, statuses, onDisk } = open(true);
    statuses.write('a', 'one');
    statuses.write('b', 'two');
    statuses.write('a', 'three');
    expect([onDisk('a'), onDisk('b')]).toEqual([undefined, undefined]);
    files.exposeDirectory('c');
    expect([onDisk('a'), onDisk('b')]).toEqual(['three', 'two']);
    statuses.write('d', 'four');
    expect(onDisk('d')).toBe('four');
  });

  test('is written with the next one that leaves some, though it says the same', () => {
    const { files, statuses, onDisk } = open(true);
    statuses.write('a', 'same');
    files.write('a', 'prompt.md', 'x');
    statuses.write('a', 'same');
    expect(onDisk('a')).toBe('same');
    expect(files.archiveVisit('a', 2)).toBe(true);
  });

  test('is not written any more once it must not count', () => {
    const { files, statuses, onDisk } = open(true);
    statuses.write('a', 'old');
    statuses.clear('a', true);
    files.exposeDirectory('');
    expect(onDisk('a')).toBeUndefined();
  });

  test('stays where nobody looks for it before the next attempt', () => {
    const { files, statuses, onDisk } = open(true);
    statuses.write('a', 'old');
    statuses.clear('a', false);
    expect(statuses.readForeign('a')).toBeUndefined();
    files.exposeDirectory('');
    expect(onDisk('a')).toBe('old');
  });

  test('gives way to one that the stage itself has left', () => {
    const { disk, files, statuses, onDisk, fileOf } = open(true);
    statuses.write('a', 'old');
    files.makeDirectory('a');
    disk.writeFile(fileOf('a'), 'its own');
    expect(statuses.readForeign('a')).toBe('its own');
    statuses.write('a', 'new');
    files.exposeDirectory('');
    expect(onDisk('a')).toBe('new');
  });
});
