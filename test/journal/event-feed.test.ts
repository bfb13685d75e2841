import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventNumbered, feedOf, linesOf, seqsOf, upTo } from './event-feeds.js';

describe('9.6: the events of a run as an async iterable', () => {
  test('come to every consumer once and in order, whenever it begins', async () => {
    const { feed, bring } = feedOf();
    const early = seqsOf(feed.events());
    bring(3);
    const middle = seqsOf(feed.events());
    await Promise.resolve();
    bring(2);
    feed.end({ kind: 'over' });
    const late = seqsOf(feed.events());
    expect(await Promise.all([early, middle, late])).toEqual([upTo(5), upTo(5), upTo(5)]);
  });

  test('begin with the one that is asked for', async () => {
    const { feed, bring } = feedOf();
    bring(400);
    const fromKept = seqsOf(feed.events({ from: 390 }));
    const fromJournal = seqsOf(feed.events({ from: 20 }));
    const toCome = seqsOf(feed.events({ from: 401 }));
    const never = seqsOf(feed.events({ from: 403 }));
    const all = seqsOf(feed.events({ from: -1 }));
    bring(2);
    feed.end({ kind: 'over' });
    expect(await fromKept).toEqual(upTo(402, 390));
    expect(await fromJournal).toEqual(upTo(402, 20));
    expect(await toCome).toEqual([401, 402]);
    expect(await never).toEqual([]);
    expect(await all).toEqual(upTo(402));
  });

  test('are those of this execution, or all from the journal, when a run continues', async () => {
    const { feed, bring } = feedOf(...upTo(300).map(eventNumbered));
    const fresh = seqsOf(feed.events());
    const all = seqsOf(feed.events({ from: 1 }));
    bring(2);
    feed.end({ kind: 'over' });
    expect(await fresh).toEqual([301, 302]);
    expect(await all).toEqual(upTo(302));
  });

  test('are those of the journal where nothing was left to do', async () => {
    const { feed } = feedOf(...upTo(300).map(eventNumbered));
    feed.end({ kind: 'over' });
    expect(await seqsOf(feed.events())).toEqual([]);
    expect(await seqsOf(feed.events({ from: 299 }))).toEqual([299, 300]);
  });

  test('are none where there is no run, whatever lies in the directory', async () => {
    const { feed } = feedOf(eventNumbered(1));
    feed.end({ kind: 'no_run' });
    expect(await seqsOf(feed.events({ from: 1 }))).toEqual([]);
  });

  test('end with the error that breaks the run off, after the last event', async () => {
    const { feed, bring } = feedOf();
    bring(2);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of feed.events()) seen.push(seq);
    })();
    feed.end({ kind: 'broken', error: new Error('the disk is gone') });
    await expect(reading).rejects.toThrow('the disk is gone');
    expect(seen).toEqual([1, 2]);
  });

  test('are not read ahead of what the run has told', async () => {
    const { feed, bring, file } = feedOf();
    bring(300);
    appendFileSync(file, linesOf([eventNumbered(301)]));
    feed.end({ kind: 'broken', error: new Error('not durable') });
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const { seq } of feed.events()) seen.push(seq);
      })(),
    ).rejects.toThrow('not durable');
    expect(seen).toEqual(upTo(300));
  });

  test('let the run have its turns while somebody reads a long past', async () => {
    const { feed, bring } = feedOf();
    bring(2000);
    let turns = 0;
    const reading = seqsOf(feed.events());
    while (feed.waiting === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(turns).toBeGreaterThan(5);
    feed.end({ kind: 'over' });
    expect(await reading).toEqual(upTo(2000));
  });

  test.each([
    ['break', (seq: number) => seq === 2],
    ['throw', (seq: number) => seq === 2 && fail()],
  ])('are released by %s', async (_how, isEnough) => {
    const { feed, bring } = feedOf();
    bring(3);
    const events = feed.events();
    const reading = (async () => {
      for await (const { seq } of events) if (isEnough(seq)) break;
    })();
    await reading.catch(() => undefined);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(feed.waiting).toBe(0);
  });

  test('are released at once by whoever stops waiting for the next', async () => {
    const { feed } = feedOf();
    const events = feed.events();
    const next = events.next();
    await Promise.resolve();
    expect(feed.waiting).toBe(1);
    await events.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(feed.waiting).toBe(0);
  });

  test('end when the signal is aborted, before or while they are read', async () => {
    const { feed, bring } = feedOf();
    bring(300);
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of feed.events({ signal: stop.signal })) {
      seen.push(seq);
      if (seq === 20) stop.abort();
    }
    expect(seen).toEqual(upTo(20));
    expect(await seqsOf(feed.events({ signal: stop.signal }))).toEqual([]);
    const waiting = new AbortController();
    const reading = seqsOf(feed.events({ from: 300, signal: waiting.signal }));
    while (feed.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    waiting.abort();
    expect(await reading).toEqual([300]);
    expect(feed.waiting).toBe(0);
  });

  test('that somebody asks for several at once come in order', async () => {
    const { feed, bring } = feedOf();
    const events = feed.events();
    const asked = [events.next(), events.next(), events.next()];
    bring(2);
    feed.end({ kind: 'over' });
    const answers = await Promise.all(asked);
    expect(answers.map(({ done, value }) => (done ? 'end' : value.seq))).toEqual([1, 2, 'end']);
  });

  test('whose journal somebody cut off are an error, not a wait without an end', async () => {
    const { feed, bring, file } = feedOf();
    bring(600);
    writeFileSync(file, linesOf(upTo(100).map(eventNumbered)));
    await expect(seqsOf(feed.events())).rejects.toThrow(
      expect.objectContaining({ code: 'storage', message: expect.stringContaining('event 101 of the run') }),
    );
  });

  test('whose journal is damaged are an error that names the line', async () => {
    const { feed, bring, file } = feedOf();
    bring(600);
    writeFileSync(file, `${linesOf(upTo(9).map(eventNumbered))}{"seq":10}\n`);
    await expect(seqsOf(feed.events())).rejects.toThrow(/damaged in line 10: it has no type/);
  });
});

function fail(): never {
  throw new Error('enough');
}
