import { describe, expect, test } from 'vitest';
import { type VirtualClockOptions, virtualClock } from '../../../src/run/simulate/virtual-clock.js';
import { fc } from '../../support/fast-check.js';

const start = Date.UTC(2026, 0, 1);

/** Sleepers by name: how long each sleeps, once or several times. */
type Sleepers = Readonly<Record<string, number | readonly number[]>>;

/** Who woke up, in order, and when after the start. */
async function wakeUps(sleepers: Sleepers, options: VirtualClockOptions = {}): Promise<readonly string[]> {
  const clock = virtualClock({ start, ...options });
  const seen: string[] = [];
  const sleep = async (name: string, pauses: readonly number[]): Promise<void> => {
    for (const pause of pauses) {
      await clock.sleep(pause);
      seen.push(`${name} ${clock.now() - start}`);
    }
  };
  await Promise.all(Object.entries(sleepers).map(([name, pauses]) => sleep(name, [pauses].flat())));
  return seen;
}

const hour = 3_600_000;

describe('the time of a virtual clock jumps to whoever wakes up next', () => {
  test.each<[name: string, sleepers: Sleepers, expected: readonly string[]]>([
    ['one sleeper', { a: 100 * hour }, [`a ${100 * hour}`]],
    ['in the order of time', { a: 3, b: 1, c: 2 }, ['b 1', 'c 2', 'a 3']],
    ['at the same time in the order of the calls', { a: 5, b: 5, c: 5 }, ['a 5', 'b 5', 'c 5']],
    ['what follows comes in between', { a: [2, 2, 2], b: [3, 3] }, ['a 2', 'b 3', 'a 4', 'b 6', 'a 6']],
    ['no time at all', { a: [0, 0], b: 0 }, ['a 0', 'b 0', 'a 0']],
    ['less than that', { a: -5 }, ['a 0']],
  ])('%s', async (_name, sleepers, expected) => {
    expect(await wakeUps(sleepers)).toEqual(expected);
  });

  test('whatever the sleepers do, nobody wakes up early or late', async () => {
    const pauses = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.option(fc.nat(), { nil: undefined }), async (rows, seed) => {
        const seen = await wakeUps(Object.fromEntries(rows.entries()), { seed });
        const times = seen.map((line) => Number(line.split(' ')[1]));
        expect(times).toEqual([...times].sort((one, other) => one - other));
        for (const [name, row] of rows.entries()) {
          const own = seen.filter((line) => line.startsWith(`${name} `));
          const due = row.map((_, index) => row.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0));
          expect(own).toEqual(due.map((time) => `${name} ${time}`));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a seed decides who comes first at the same time', () => {
  const sleepers = { a: [0, 1], b: [0, 1], c: [0, 1], d: 2 };

  test('the same one the same way', async () => {
    expect(await wakeUps(sleepers, { seed: 7 })).toEqual(await wakeUps(sleepers, { seed: 7 }));
  });

  test('others in other ways, all of them', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 60; seed += 1) {
      orders.add((await wakeUps({ a: 1, b: 1, c: 1 }, { seed })).join());
    }
    expect(orders.size).toBe(6);
  });

  test('and chance, all bits of it', () => {
    const first = (seed: number | undefined): number => virtualClock({ seed }).random();
    expect(first(undefined)).toBe(first(undefined));
    const seeds = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    expect(new Set(seeds.map(first)).size).toBe(seeds.length);
    for (const seed of seeds) expect(first(seed)).toSatisfy((number: number) => number >= 0 && number < 1);
  });
});

describe('the time stands still', () => {
  test('as long as somebody works in small steps without sleeping', async () => {
    const clock = virtualClock({ start });
    const seen: string[] = [];
    const asleep = clock.sleep(hour).then(() => seen.push('awake'));
    for (let step = 0; step < 50; step += 1) {
      clock.now();
      await new Promise((resolve) => setImmediate(resolve));
    }
    seen.push(`done ${clock.now() - start}`);
    await asleep;
    expect(seen).toEqual(['done 0', 'awake']);
  });

  test('while it is held, by one or by several', async () => {
    const clock = virtualClock({ start });
    const asleep = clock.sleep(hour).then(() => 'awake');
    const work = (milliseconds: number): Promise<string> =>
      new Promise((resolve) => setTimeout(() => resolve(`done ${clock.now() - start}`), milliseconds));
    const held = Promise.all([clock.hold(work(5)), clock.hold(work(30))]);
    expect(await Promise.race([asleep, held])).toEqual(['done 0', 'done 0']);
    expect(await asleep).toBe('awake');
    expect(clock.now()).toBe(start + hour);
  });

  test('not because of work that failed', async () => {
    const clock = virtualClock({ start });
    const asleep = clock.sleep(hour);
    await expect(clock.hold(Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    await asleep;
    expect(clock.now()).toBe(start + hour);
  });

  test('for whoever sleeps longer than there is time', async () => {
    const clock = virtualClock({ start });
    const stop = new AbortController();
    const endless = [clock.sleep(Number.POSITIVE_INFINITY, stop.signal), clock.sleep(1e300, stop.signal)];
    await clock.sleep(5);
    expect(clock.now()).toBe(start + 5);
    stop.abort(new Error('enough'));
    for (const sleep of endless) await expect(sleep).rejects.toThrow('enough');
  });
});

test('a sleep that is given up does not move the time', async () => {
  const clock = virtualClock({ start });
  const stop = new AbortController();
  const rejected = expect(clock.sleep(hour, stop.signal)).rejects.toThrow('enough');
  await clock.sleep(1);
  stop.abort(new Error('enough'));
  await rejected;
  await clock.sleep(1);
  expect(clock.now()).toBe(start + 2);
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
});

test('the time begins now, and catches up with what has been before', async () => {
  const clock = virtualClock();
  const now = Date.now();
  expect(Math.abs(clock.now() - now)).toBeLessThan(60_000);
  clock.catchUp(now - hour);
  expect(clock.now()).toBeLessThan(now + hour);
  clock.catchUp(now + 2 * hour);
  await clock.sleep(1);
  expect(clock.now()).toBe(now + 2 * hour + 1);
});

test('thousands may sleep at once', async () => {
  const count = 5000;
  const sleepers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, index % 7]));
  expect(await wakeUps(sleepers)).toHaveLength(count);
});
