import { describe, expect, test } from 'vitest';
import { feedOf, seqsOf, upTo } from '../../journal/event-feeds.js';

describe('9.6: the events of a run as an async iterable', () => {
  test('are 100 000 without more than some hundred in memory, for one who keeps up and one who comes late', async () => {
    const { feed, bring } = feedOf();
    const prompt = seqsOf(feed.events());
    const idle = feed.events();
    expect((await Promise.all([idle.next(), bring(1)]))[0].value.seq).toBe(1);
    let held = 0;
    for (let round = 0; round < 1000; round += 1) {
      bring(round === 0 ? 99 : 100);
      held = Math.max(held, feed.size);
      if (round % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(held).toBe(256);
    feed.end({ kind: 'over' });
    const expected = upTo(100_000);
    expect(await prompt).toEqual(expected);
    expect(await seqsOf(feed.events())).toEqual(expected);
    expect(await seqsOf(idle)).toEqual(upTo(100_000, 2));
    expect(feed.size).toBe(256);
    expect(feed.waiting).toBe(0);
  });
});
