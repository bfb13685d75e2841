import { expect, test } from 'vitest';
import { steadyTime } from '../../../src/run/driver/steady-time.js';
import { fc } from '../../support/fast-check.js';

/** A machine whose clock can be set. */
function machine() {
  let timeOfDay = 1_000_000;
  let stopwatch = 7.5;
  const pass = (milliseconds: number): void => {
    timeOfDay += milliseconds;
    stopwatch += milliseconds;
  };
  const set = (by: number): void => {
    timeOfDay += by;
  };
  const now = steadyTime(
    () => Math.floor(timeOfDay),
    () => stopwatch,
  );
  return { pass, set, now };
}

test('is the time of day while nobody sets the clock', () => {
  const { pass, now } = machine();
  expect(now()).toBe(1_000_000);
  pass(250);
  expect(now()).toBe(1_000_250);
});

test('continues as it went where the clock is set back, and follows where it is set forward', () => {
  const { pass, set, now } = machine();
  pass(1000);
  set(-3_600_000);
  expect(now()).toBe(1_001_000);
  pass(500);
  expect(now()).toBe(1_001_500);
  set(2 * 3_600_000);
  expect(now()).toBe(1_001_500 + 3_600_000);
});

test('counts the time only once for which a process has to wait between its two looks', () => {
  let time = 1_000_000;
  /** After each look; there are two at the beginning, and two whenever somebody asks for the time. */
  const waits = [9, 0, 100, 0, 0, 0, 7, 0];
  const look = (): number => {
    const seen = time;
    time += waits.shift() ?? 0;
    return seen;
  };
  const now = steadyTime(look, look);
  now();
  expect(now()).toBe(1_000_109);
  now();
  expect(now()).toBe(1_000_116);
});

test('is never slower than the stopwatch, nor after the time of day', () => {
  const change = fc.record({ passes: fc.nat(5000), isSetBy: fc.integer({ min: -9000, max: 9000 }) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const { pass, set, now } = machine();
      let timeOfDay = 1_000_000;
      for (const { passes, isSetBy } of changes) {
        const before = now();
        pass(passes);
        set(isSetBy);
        timeOfDay += passes + isSetBy;
        expect(now()).toBeGreaterThanOrEqual(before + passes);
        expect(now()).toBeGreaterThanOrEqual(timeOfDay);
      }
    }),
  );
});
