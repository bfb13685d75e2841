import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { followEvents } from '../../src/journal/follow-events.js';
import { ownTurn, turnLength } from '../../src/journal/own-turn.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { eventNumbered, feedOf, seqsOf, upTo } from './event-feeds.js';

/** Counts the turns of the event loop until something has happened: in each, everything that is ready is handled. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await done;
  isOver = true;
  return turns;
}

describe('a turn of its own', () => {
  test('is shared by no two, and they take turns in the order in which they ask', async () => {
    const log: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 4; piece += 1) {
        await ownTurn();
        log.push(name);
      }
    };
    let isOver = false;
    const other = (): void => {
      log.push('.');
      if (!isOver) setImmediate(other);
    };
    const working = Promise.all(['a', 'b', 'c'].map(work));
    setImmediate(other);
    await working;
    isOver = true;
    // What another test of the process has left may take a turn before the first, or between two.
    expect(log.join('').replace(/^\.+/, '').replace(/\.+/g, '.')).toBe('a.b.c.a.b.c.a.b.c.a.b.c');
  });
});

describe('who reads a long journal', () => {
  const stretches = (length: number): number => Math.floor(length / turnLength) - 1;

  test.each([1, 8000])(
    'lets others have their turns, from event %i on: of a run of this process',
    async (from) => {
      const { feed, file } = feedOf(...upTo(8000).map(eventNumbered));
      feed.end({ kind: 'over' });
      const least = stretches(statSync(file).size);
      expect(least).toBeGreaterThan(10);
      expect(await turnsUntil(seqsOf(feed.events({ from })))).toBeGreaterThanOrEqual(least);
    },
  );

  test('lets others have their turns: of a run of any process', async () => {
    const circle = pipeline(
      'a [shape=diamond]',
      'b [shape=diamond]',
      'start -> a -> b -> a',
      'b -> exit [condition="context.never=1"]',
    );
    const { directory, events } = await runOnDisk(circle, { maxSteps: 1000 });
    const least = stretches(statSync(`${directory}/events.jsonl`).size);
    expect(least).toBeGreaterThan(10);
    expect(await turnsUntil(followEvents(directory, { from: events.length }).next())).toBeGreaterThanOrEqual(
      least,
    );
  });
});
