import { describe, expect, test } from 'vitest';
import type { ConversationEntry } from '../../../src/handlers/conversation-entry.js';
import type { ConversationPage } from '../../../src/view/conversation/conversation-page.js';
import { ApiError } from '../../../src/web/api/failure.js';
import { ConversationFeed } from '../../../src/web/run/conversation/conversation-feed.js';
import { foldText } from '../../../src/web/run/conversation/fold-text.js';
import {
  heldRange,
  mostSteps,
  rangeFrom,
  resolveRange,
  type ShownRange,
  withEarlier,
  withLater,
} from '../../../src/web/run/conversation/shown-range.js';
import { fc } from '../../support/fast-check.js';

describe('the steps of a conversation that are on the page', () => {
  test('follow the end, and stay where they are when they are held', () => {
    const end: ShownRange = { kind: 'end' };
    expect(resolveRange(end, 10)).toEqual({ first: 0, end: 10 });
    expect(resolveRange(end, 1000)).toEqual({ first: 940, end: 1000 });
    const held = heldRange(end, 1000);
    expect(resolveRange(held, 1000)).toEqual({ first: 940, end: 1000 });
    expect(resolveRange(held, 1005)).toEqual({ first: 940, end: 1005 });
    expect(resolveRange(held, 5000)).toEqual({ first: 940, end: 940 + mostSteps });
  });

  test('are added before and after, at most so many together', () => {
    const range = rangeFrom(500);
    expect(resolveRange(range, 2000)).toEqual({ first: 500, end: 560 });
    expect(resolveRange(withEarlier(range, 2000), 2000)).toEqual({ first: 440, end: 560 });
    expect(resolveRange(withLater(range, 2000), 2000)).toEqual({ first: 500, end: 620 });
    expect(resolveRange(rangeFrom(0), 0)).toEqual({ first: 0, end: 0 });
  });

  test('lead to every step, whatever is pressed', () => {
    const press = fc.constantFrom('earlier', 'later', 'hold', 'end', 'start');
    fc.assert(
      fc.property(fc.nat(3000), fc.array(press, { maxLength: 40 }), (total, presses) => {
        let range: ShownRange = rangeFrom(0);
        for (const one of presses) {
          if (one === 'earlier') range = withEarlier(range, total);
          else if (one === 'later') range = withLater(range, total);
          else if (one === 'hold') range = heldRange(range, total);
          else range = one === 'end' ? { kind: 'end' } : rangeFrom(0);
          const { first, end } = resolveRange(range, total);
          expect(end - first).toBeLessThanOrEqual(mostSteps);
          expect(end).toBeLessThanOrEqual(total);
          expect(total === 0 || end > first).toBe(true);
        }
        while (resolveRange(range, total).first > 0) range = withEarlier(range, total);
        while (resolveRange(range, total).end < total) range = withLater(range, total);
      }),
    );
  });
});

const at = '2026-01-01T00:00:00.000Z';

/** A server whose conversation has one entry at each byte, two of them in a page. */
function feedOf(entries: ConversationEntry[]): { readonly feed: ConversationFeed; readonly asked: number[] } {
  const asked: number[] = [];
  const feed = new ConversationFeed(async (after): Promise<ConversationPage> => {
    asked.push(after);
    await Promise.resolve();
    if (after > entries.length) {
      const error = { code: 'bad_request', message: 'no page' } as const;
      throw new ApiError({ kind: 'refused', status: 400, problem: { error } });
    }
    const page = entries.slice(after, after + 2);
    const next = after + page.length;
    return {
      visit: 1,
      entries: page,
      next,
      size: entries.length,
      has_more: next < entries.length,
      damaged: 0,
    };
  });
  return { feed, asked };
}

const says = (text: string): ConversationEntry => ({ kind: 'user', at, text });
const wordsIn = (feed: ConversationFeed): readonly string[] =>
  feed.steps.map((step) => (step.kind === 'request' ? step.text : step.kind));
const never = new AbortController().signal;

describe('the conversation of a visit at the page', () => {
  test('is read in pages, each entry once, as it grows', async () => {
    const entries = ['a', 'b', 'c'].map(says);
    const { feed, asked } = feedOf(entries);
    await feed.update(never);
    expect([wordsIn(feed), feed.isWhole, asked]).toEqual([['a', 'b', 'c'], true, [0, 2]]);
    entries.push(says('d'));
    // The second call comes while the first is under way.
    const first = feed.update(never);
    await feed.update(never);
    await first;
    expect([wordsIn(feed), asked]).toEqual([
      ['a', 'b', 'c', 'd'],
      [0, 2, 3, 4],
    ]);
  });

  test('begins again after its file was replaced by a shorter one', async () => {
    const entries = ['a', 'b', 'c'].map(says);
    const { feed } = feedOf(entries);
    await feed.update(never);
    entries.splice(0, 3, says('new'));
    await feed.update(never);
    expect([wordsIn(feed), feed.failure]).toEqual([['new'], undefined]);
  });

  test('keeps what it has when the server is gone', async () => {
    let isThere = true;
    const feed = new ConversationFeed((after) =>
      isThere
        ? Promise.resolve({
            visit: 1,
            entries: [says(`${after}`)],
            next: after + 1,
            size: after + 1,
            has_more: false,
            damaged: 0,
          })
        : Promise.reject(new ApiError({ kind: 'lost' })),
    );
    await feed.update(never);
    isThere = false;
    await feed.update(never);
    expect([wordsIn(feed), feed.failure?.kind, feed.isWhole]).toEqual([['0'], 'lost', true]);
    isThere = true;
    await feed.update(never);
    expect([wordsIn(feed), feed.failure]).toEqual([['0', '1'], undefined]);
  });
});

test.each([
  ['short', 'a\nb\n', 'a\nb', ''],
  ['of many lines', 'a\nb\nc\nd\n', 'a\nb\nc', '1 more line'],
  ['of one long line', 'x'.repeat(3000), `${'x'.repeat(1000)}…`, '1999 more characters'],
])('a text that is %s', (_what, text, head, more) => {
  expect(foldText(text, 3)).toEqual({ head, more });
});
