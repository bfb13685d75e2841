import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { acquireLock } from '../../src/run-directory/lock.js';
import {
  type ControlRequest,
  isRequestPending,
  requestRun,
  runOwner,
  watchRequests,
  withdrawRequest,
} from '../../src/run-directory/run-requests.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const cancel: ControlRequest = { kind: 'cancel' };
const pause: ControlRequest = { kind: 'pause', mode: 'after_stage', reason: 'because' };

/** A run that this process has locked. */
function lockedRun(): string {
  const directory = temporaryDirectory();
  const lock = acquireLock(path.join(directory, 'lock'));
  onTestFinished(() => lock.release());
  return directory;
}

/** Watches on a clock that stands still; `look` lets one round go by. */
function watched(directory: string) {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const taken: ControlRequest[] = [];
  const stop = watchRequests(directory, (request) => taken.push(request));
  onTestFinished(stop);
  return { taken, stop, look: () => void vi.advanceTimersByTime(1000) };
}

describe('requests to the process that executes a run', () => {
  test.each<[string, ControlRequest]>([
    ['cancel', cancel],
    ['pause after the running stages', pause],
    ['pause at once', { ...pause, mode: 'now' }],
  ])('%s: handed over once, and gone from the directory', (_name, request) => {
    const directory = lockedRun();
    const { taken, look } = watched(directory);
    expect(requestRun(directory, request)).toMatchObject({ pid: process.pid });
    expect(isRequestPending(directory, request.kind)).toBe(true);
    look();
    look();
    expect(taken).toEqual([request]);
    expect(isRequestPending(directory, request.kind)).toBe(false);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('one of each kind may lie there: neither takes the place of the other, and cancelling goes first', () => {
    const directory = lockedRun();
    const { taken, look } = watched(directory);
    requestRun(directory, pause);
    requestRun(directory, cancel);
    requestRun(directory, { ...pause, mode: 'now' });
    look();
    expect(taken).toEqual([cancel, { ...pause, mode: 'now' }]);
  });

  test('a request may be there before anybody watches, and is not lost', () => {
    const directory = lockedRun();
    requestRun(directory, cancel);
    const { taken, look } = watched(directory);
    look();
    expect(taken).toEqual([cancel]);
  });

  test('nobody is asked where nobody executes the run', () => {
    const directory = temporaryDirectory();
    expect(runOwner(directory)).toBeUndefined();
    expect(requestRun(directory, cancel)).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a request to a process that has died means nothing to the next one', () => {
    const directory = lockedRun();
    writeFileSync(
      path.join(directory, 'request-cancel.json'),
      JSON.stringify({ ...cancel, for: { pid: process.pid, since: 1 } }),
    );
    writeFileSync(
      path.join(directory, 'request-pause.json'),
      JSON.stringify({ ...pause, for: { ...runOwner(directory), pid: 2 ** 30 } }),
    );
    expect(isRequestPending(directory, 'cancel')).toBe(false);
    const { taken, look } = watched(directory);
    look();
    expect(taken).toEqual([]);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test.each([
    ['no JSON', '{'],
    ['another kind', '{"kind":"explode"}'],
    ['no addressee', '{"kind":"cancel"}'],
    ['nothing', ''],
  ])('what is not a request is thrown away: %s', (_name, text) => {
    const directory = lockedRun();
    writeFileSync(path.join(directory, 'request-cancel.json'), text);
    const { taken, look } = watched(directory);
    look();
    expect(taken).toEqual([]);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('what comes too late, or is taken back, is removed and not handed over', () => {
    const directory = lockedRun();
    const { taken, look, stop } = watched(directory);
    requestRun(directory, pause);
    withdrawRequest(directory, 'pause');
    look();
    requestRun(directory, cancel);
    stop();
    look();
    expect(taken).toEqual([]);
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  test('many runs of one process each get their own, and a run whose directory is gone disturbs nobody', () => {
    const directories = Array.from({ length: 20 }, lockedRun);
    const runs = directories.map((directory) => ({ directory, ...watched(directory) }));
    runs.forEach(({ directory }, index) => {
      requestRun(directory, { ...pause, reason: `run ${index}` });
    });
    rmSync(runs[3]?.directory ?? '', { recursive: true });
    runs[0]?.look();
    expect(runs.map(({ taken }) => taken)).toEqual(
      runs.map((_, index) => (index === 3 ? [] : [{ ...pause, reason: `run ${index}` }])),
    );
    for (const { stop } of runs) stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(existsSync(runs[3]?.directory ?? '')).toBe(false);
  });
});
