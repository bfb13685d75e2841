import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { acquireLock } from '../../../src/run-directory/lock.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { cutOff, gated, openRegistry, serverOptions, until, untilStatus } from './harness.js';

/** The lock of a process with the number of this one, in another container. */
const foreignLock = JSON.stringify({
  pid: process.pid,
  process_start: '',
  since: Date.now(),
  place: { host: 'web-2', boot: 'another start', pid_namespace: '' },
});

/** As if the owner of a lock had renewed it so many seconds ago. */
function renewedBefore(lock: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  utimesSync(lock, time, time);
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

function homeOfAnother(): { readonly directory: string; readonly lock: string } {
  const directory = temporaryDirectory();
  const { home } = serverOptions(directory);
  mkdirSync(home, { recursive: true });
  const lock = path.join(home, 'server.lock');
  writeFileSync(lock, foreignLock);
  return { directory, lock };
}

describe('29: a server whose home another one had in another container', () => {
  test('begins once that was silent for 30 s, and waits until then', async () => {
    const { directory, lock } = homeOfAnother();
    fakeTimers();
    let isOpen = false;
    const opening = openRegistry({}, directory).then((opened) => {
      isOpen = true;
      return opened;
    });
    renewedBefore(lock, 10);
    await vi.advanceTimersByTimeAsync(3000);
    expect(isOpen).toBe(false);
    renewedBefore(lock, 31);
    await vi.advanceTimersByTimeAsync(1000);
    const { logged } = await opening;
    expect(logged).toMatchObject([
      {
        level: 'info',
        message: expect.stringMatching(/^waiting for a sign of life from another server, .* on web-2/),
      },
    ]);
  });

  test('is refused as soon as that gives a sign of life', async () => {
    const { directory, lock } = homeOfAnother();
    renewedBefore(lock, 20);
    fakeTimers();
    const opening = expect(openRegistry({}, directory)).rejects.toThrow(
      /^another server \(process \d+ on web-2, in another container .*\) already serves the runs in .*--home DIR/,
    );
    await vi.advanceTimersByTimeAsync(3000);
    renewedBefore(lock, 0);
    await vi.advanceTimersByTimeAsync(1000);
    await opening;
  });

  test('takes up a run that was killed with it a moment later, too', async () => {
    const before = await openRegistry();
    const { id } = await before.registry.submit(gated);
    await until(() => before.registry.questions(id).length === 1);
    const copy = cutOff(before);
    const lock = path.join(serverOptions(copy).home, id, 'lock');
    writeFileSync(lock, foreignLock);
    fakeTimers();
    const { registry } = await openRegistry({}, copy);
    const process = { host: 'web-2' };
    expect(registry.detail(id)).toMatchObject({ status: 'running', executed_by: 'other', process });
    await expect(registry.resume(id, {})).rejects.toThrow(/by process \d+ on web-2/);
    renewedBefore(lock, 31);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await until(() => registry.detail(id).executed_by === 'server');
    await until(() => registry.questions(id).length === 1);
    await registry.answer(id, 'gate', 'A');
    await untilStatus(registry, id, 'success');
  });

  test('executes no more when it was suspended, and another one has its home', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { registry, home, logged } = await openRegistry();
    const { id } = await registry.submit(gated);
    await until(() => registry.questions(id).length === 1);
    writeFileSync(path.join(home, 'server.lock'), foreignLock);
    vi.advanceTimersByTime(5000);
    await untilStatus(registry, id, 'paused');
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('another server already serves the runs in'),
      }),
    );
    await registry.close();
    expect(readFileSync(path.join(home, 'server.lock'), 'utf8')).toBe(foreignLock);
    acquireLock(path.join(home, id, 'lock')).release();
  });
});
