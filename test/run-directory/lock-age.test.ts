import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FileSystem } from '../../src/run-directory/file-system.js';
import { acquireLock, type Lock, lockHolder } from '../../src/run-directory/lock.js';
import { memoryFileSystem } from '../support/memory-file-system.js';

const file = '/run/lock';
const elsewhere = { host: 'web-2', boot: 'another start', pid_namespace: 'pid:[4026532001]' };

/** The lock of a process with the number of this one, in another container. */
function foreignLock(place: object = elsewhere): string {
  return JSON.stringify({ pid: process.pid, process_start: '', since: 1_800_000_000_000.25, place });
}

interface World {
  readonly fileSystem: FileSystem;
  /** Lets time pass, in which everything happens that is due. */
  readonly pass: (seconds: number) => void;
  /** The same while this process is stopped: nothing happens. */
  readonly sleep: (seconds: number) => void;
}

/** A run directory in memory, and a time that only the test moves. @param ahead by which the clock of the file system differs, in seconds */
function world(ahead = 0): World {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const memory = memoryFileSystem();
  memory.mkdir('/run');
  const shifted = <Times extends { readonly mtimeMs: number }>(times: Times): Times =>
    Object.assign(times, { mtimeMs: times.mtimeMs + 1000 * ahead });
  return {
    fileSystem: {
      ...memory,
      fstat: (descriptor) => shifted({ ...memory.fstat(descriptor) }),
      stat(path) {
        const found = memory.stat(path);
        return found && shifted(found);
      },
    },
    pass: (seconds) => void vi.advanceTimersByTime(1000 * seconds),
    sleep: (seconds) => vi.setSystemTime(Date.now() + 1000 * seconds),
  };
}

function acquire({ fileSystem }: World): Lock {
  const lock = acquireLock(file, fileSystem);
  onTestFinished(() => lock.release());
  return lock;
}

describe.each([0, 3600, -3600])('a lock of another container, %s s between the clocks', (ahead) => {
  test.each([0, 4, 29])('is refused %s s after its last renewal, with host and age', (seconds) => {
    const there = world(ahead);
    there.fileSystem.writeFile(file, foreignLock());
    there.pass(seconds);
    expect(lockHolder(file, there.fileSystem)).toEqual({
      pid: process.pid,
      since: 1_800_000_000_000.25,
      elsewhere: { host: 'web-2', age: expect.closeTo(1000 * seconds, -2) },
    });
    expect(() => acquire(there)).toThrow(
      expect.objectContaining({
        code: 'run_locked',
        message: expect.stringMatching(
          new RegExp(
            `^this run is being executed by process ${process.pid} on web-2, in another container or on another machine \\(last sign of life ${seconds} s ago\\)\\. Wait for it to end, .*; if that process was killed, the run is free in (${30 - seconds}|${31 - seconds}) s`,
          ),
        ),
      }),
    );
    expect(there.fileSystem.readdir('/run')).toEqual(['lock']);
  });

  test.each([31, 100_000])('is taken over %s s after its last renewal', (seconds) => {
    const there = world(ahead);
    there.fileSystem.writeFile(file, foreignLock());
    there.pass(seconds);
    expect(lockHolder(file, there.fileSystem)).toBeUndefined();
    acquire(there);
    expect(lockHolder(file, there.fileSystem)).toEqual({
      pid: process.pid,
      since: expect.any(Number),
    });
    expect(there.fileSystem.readdir('/run')).toEqual(['lock']);
  });
});

describe('a lock of another container', () => {
  test('counts as alive for as long as it is renewed, however often somebody looks', () => {
    const there = world();
    there.fileSystem.writeFile(file, foreignLock());
    for (let second = 0; second < 100; second += 1) {
      there.pass(1);
      if (second % 5 === 0) there.fileSystem.writeFile(file, foreignLock());
      expect(lockHolder(file, there.fileSystem)?.elsewhere?.age).toBeLessThan(6000);
    }
    there.pass(26);
    expect(lockHolder(file, there.fileSystem)).toBeUndefined();
  });

  test('is not believed where its time lies far in the future', () => {
    const there = world();
    there.fileSystem.writeFile(file, foreignLock());
    const { mtimeMs = 0 } = there.fileSystem.stat(file) ?? {};
    const stat: FileSystem['stat'] = (name) => {
      const found = there.fileSystem.stat(name);
      return found && Object.assign(found, { mtimeMs: mtimeMs + 31_000 });
    };
    expect(lockHolder(file, { ...there.fileSystem, stat })).toBeUndefined();
  });

  test('is judged where nothing can be written, too', () => {
    const there = world();
    there.fileSystem.writeFile(file, foreignLock());
    const open: FileSystem['open'] = (name, flags) => {
      if (flags === 'r') return there.fileSystem.open(name, flags);
      throw Object.assign(new Error('refused'), { code: 'EROFS' });
    };
    const readOnly = { ...there.fileSystem, open };
    expect(lockHolder(file, readOnly)?.elsewhere?.host).toBe('web-2');
    there.pass(31);
    expect(lockHolder(file, readOnly)).toBeUndefined();
  });

  test.each([
    ['\u001b[31mred\u0007 host', '?[31mred??host'],
    ['x'.repeat(1000), 'x'.repeat(255)],
    [undefined, 'an unknown host'],
    [7, '7'],
  ])('names the host %j in a form that a terminal can show', (host, shown) => {
    const there = world();
    there.fileSystem.writeFile(file, foreignLock({ ...elsewhere, host }));
    expect(lockHolder(file, there.fileSystem)?.elsewhere?.host).toBe(shown);
  });

  test.each(['0', '-1', '1.5', '"7"', '1e300', 'null'])("is nobody's with the process number %s", (pid) => {
    const there = world();
    there.fileSystem.writeFile(
      file,
      `{"pid":${pid},"process_start":"","place":${JSON.stringify(elsewhere)}}`,
    );
    expect(lockHolder(file, there.fileSystem)).toBeUndefined();
  });
});

describe('whoever holds a lock', () => {
  test('names host, start of the machine and PID namespace, and renews it every 5 s without letting it grow', () => {
    const there = world();
    acquire(there);
    const content = there.fileSystem.readFile(file).toString();
    expect(JSON.parse(content)).toEqual({
      pid: process.pid,
      process_start: expect.any(String),
      since: expect.any(Number),
      place: { host: expect.any(String), boot: expect.any(String), pid_namespace: expect.any(String) },
    });
    const holder = lockHolder(file, there.fileSystem);
    for (let round = 0; round < 1000; round += 1) {
      const before = there.fileSystem.stat(file)?.mtimeMs ?? 0;
      there.pass(5);
      expect(there.fileSystem.stat(file)?.mtimeMs).toBeGreaterThan(before + 4000);
    }
    expect(there.fileSystem.readFile(file).toString()).toBe(`${content}\n`);
    expect(lockHolder(file, there.fileSystem)).toEqual(holder);
    expect(there.fileSystem.readdir('/run')).toEqual(['lock']);
  });

  test('writes nothing once it is released', () => {
    const there = world();
    acquireLock(file, there.fileSystem).release();
    expect(vi.getTimerCount()).toBe(0);
    there.pass(60);
    expect(there.fileSystem.readdir('/run')).toEqual([]);
  });

  test('writes nothing where the lock, or the whole directory, is gone', () => {
    const there = world();
    const lock = acquire(there);
    there.fileSystem.rm(file);
    const writes = vi.spyOn(there.fileSystem, 'write');
    there.pass(60);
    expect(() => lock.check()).not.toThrow();
    expect(there.fileSystem.readdir('/run')).toEqual([]);
    expect(writes).not.toHaveBeenCalled();
  });

  test('goes on where the lock cannot be renewed', () => {
    const there = world();
    const lock = acquire(there);
    vi.spyOn(there.fileSystem, 'ftruncate').mockImplementation(() => {
      throw Object.assign(new Error('no'), { code: 'EIO' });
    });
    there.pass(60);
    expect(() => lock.check()).not.toThrow();
  });

  const loses: readonly (readonly [string, (there: World, lock: Lock) => void])[] = [
    ['the next time that it renews it', (there) => there.pass(5)],
    [
      'before that, when it asks',
      (_there, lock) => expect(() => lock.check()).toThrow('has taken this run over'),
    ],
  ];

  test.each(loses)('learns that another one has taken it while it was stopped: %s', (_name, wake) => {
    const there = world();
    const lock = acquire(there);
    const lost: string[] = [];
    lock.onLost((error) => lost.push(error.message));
    there.sleep(60);
    there.fileSystem.writeFile(file, foreignLock());
    wake(there, lock);
    expect(lost).toEqual([
      expect.stringMatching(
        new RegExp(
          `^process ${process.pid} on web-2 has taken this run over .*this one did not renew the lock for 6\\d s. The run was stopped here, and nothing more was written$`,
        ),
      ),
    ]);
    expect(() => lock.check()).toThrow(expect.objectContaining({ code: 'storage' }));
    there.pass(60);
    lock.release();
    expect(lost.length).toBe(1);
    expect(there.fileSystem.readFile(file).toString()).toBe(foreignLock());
  });

  test('does not ask the disk as long as it has renewed the lock lately', () => {
    const there = world();
    const lock = acquire(there);
    const reads = vi.spyOn(there.fileSystem, 'readFile');
    there.sleep(14);
    lock.check();
    expect(reads).not.toHaveBeenCalled();
    there.sleep(1);
    lock.check();
    expect(reads).toHaveBeenCalledOnce();
  });
});
