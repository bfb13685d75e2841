import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Heartbeat, stillRunning } from '../../../src/cli/progress/heartbeat.js';
import type { WatchedStage } from '../../../src/cli/progress/run-watch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minute = 60_000;

describe('a line a minute, where a run is not shown in place', () => {
  test('comes only as long as nothing else is printed', () => {
    const print = vi.fn();
    const heartbeat = new Heartbeat(() => 'still running', print);
    vi.advanceTimersByTime(59_000);
    heartbeat.printed();
    vi.advanceTimersByTime(59_000);
    expect(print).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(print.mock.calls).toEqual([['still running']]);
    vi.advanceTimersByTime(3 * minute);
    expect(print).toHaveBeenCalledTimes(4);
    heartbeat.stop();
    vi.advanceTimersByTime(3 * minute);
    expect(print).toHaveBeenCalledTimes(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('says nothing where nothing runs', () => {
    const print = vi.fn();
    const heartbeat = new Heartbeat(() => undefined, print);
    vi.advanceTimersByTime(5 * minute);
    expect(print).not.toHaveBeenCalled();
    heartbeat.stop();
  });
});

const stage = (name: string, elapsedMs: number, more: Partial<WatchedStage> = {}): WatchedStage => ({
  name,
  elapsedMs,
  handlerType: 'tool',
  state: 'running',
  restMs: undefined,
  attempt: 1,
  maxAttempts: 3,
  activity: undefined,
  directory: undefined,
  ...more,
});

test.each<readonly [string | undefined, readonly WatchedStage[]]>([
  [undefined, []],
  ['still running: build 3 min, test 2 min', [stage('build', 3 * minute), stage('test', 2.9 * minute)]],
  ['still running: plan 12 s', [stage('plan', 12_000)]],
  [
    'still running: plan 1 min (waiting 20 s after HTTP 429)',
    [stage('plan', minute, { activity: { kind: 'waiting', text: 'waiting 20 s after HTTP 429' } })],
  ],
  ['still running: ask 1 h 5 min (waiting for an answer)', [stage('ask', 65 * minute, { state: 'asking' })]],
  [
    'still running: a 1 min (waiting for attempt 2 of 3)',
    [stage('a', minute, { state: 'waiting', attempt: 2 })],
  ],
  [
    'still running: s0 1 min, s1 1 min, s2 1 min, s3 1 min, s4 1 min and 35 more',
    Array.from({ length: 40 }, (_, index) => stage(`s${index}`, minute)),
  ],
])('it says %s', (text, stages) => {
  expect(stillRunning(stages)).toBe(text);
});
