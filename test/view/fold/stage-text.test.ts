import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { applyAll } from '../../../src/view/fold/apply.js';
import { emptyView, narrowScope } from '../../../src/view/fold/run-view.js';
import type { Stream } from '../../../src/view/fold/stage-text.js';

const longestText = 60_000;

// §9.6 StageOutput: what a model says is shown while it says it.

const stage = {
  node_id: 'a',
  name: 'A',
  index: 1,
  visit: 1,
  seq: 1,
  run_id: 'r',
  timestamp: '2026-01-01T00:00:00Z',
  description: '',
};
const begun = (attempt: number): RunEvent => ({ ...stage, type: 'StageStarted', attempt });
const says = (text: string, channel: 'response' | 'reasoning' = 'response'): RunEvent => ({
  ...stage,
  type: 'StageOutput',
  attempt: 1,
  channel,
  text,
});

function told(...events: readonly RunEvent[]): Stream | undefined {
  return toldAll(events);
}

function toldAll(events: readonly RunEvent[], longest = longestText): Stream | undefined {
  const view = applyAll(emptyView({ ...narrowScope, text: longest }), events);
  const stream = view.nodes.get('a')?.latest.stream;
  return stream === undefined || stream.length === 0 ? undefined : stream;
}

describe('what the model of a stage says', () => {
  it('grows piece by piece, thoughts apart from answers', () => {
    expect(
      told(begun(1), says('I', 'reasoning'), says(' see', 'reasoning'), says('It'), says(' is'))?.parts,
    ).toEqual([
      { channel: 'reasoning', text: 'I see' },
      { channel: 'response', text: 'It is' },
    ]);
  });

  it('starts over with each attempt, and is gone when the stage has settled', () => {
    expect(told(begun(1), says('one'), begun(2))).toBeUndefined();
    const done: RunEvent = {
      ...stage,
      type: 'StageCompleted',
      attempt: 1,
      duration: 1,
      outcome: { status: 'success' },
    };
    expect(told(begun(1), says('one'), done)).toBeUndefined();
  });

  it('loses the part of a reply that comes again, and nothing else', () => {
    const used = { ...stage, type: 'ModelUsed', attempt: 1, provider: 'p', model: 'm' } as const;
    const usage = { requests: 1, input_tokens: 1, output_tokens: 1 };
    const done: RunEvent = { ...used, usage };
    const retrying = (discards_text: boolean): RunEvent => ({
      ...stage,
      type: 'RequestRetrying',
      attempt: 1,
      provider: 'p',
      model: 'm',
      reason: 'HTTP 529',
      error: 'the request failed',
      delay: 2000,
      request_attempt: 2,
      request_attempts: 6,
      discards_text,
    });
    const wordsOf = (...events: readonly RunEvent[]) =>
      told(begun(1), ...events)?.parts.map(({ channel, text }) => `${channel}: ${text}`);
    const broken = [says('Hm, ', 'reasoning'), says('Hal')];
    expect(wordsOf(says('First. '), done, ...broken, retrying(true), says('Half.'))).toEqual([
      'response: First. Half.',
    ]);
    // The provider has told what the broken request used.
    expect(wordsOf(says('First. '), done, ...broken, done, retrying(true), says('Half.'))).toEqual([
      'response: First. Half.',
    ]);
    expect(wordsOf(says('First. '), done, retrying(false), says('Second.'))).toEqual([
      'response: First. Second.',
    ]);
    expect(wordsOf(...broken, retrying(true), ...broken, retrying(true))).toBeUndefined();
  });

  it.each([
    [1, longestText / 10],
    [10, longestText],
    [5000, longestText],
    [3 * longestText, longestText],
  ])('keeps its end, and little more, in pieces of %d', (piece, longest) => {
    const all = Array.from({ length: Math.ceil((5 * longest) / piece) }, (_, index) =>
      String(index % 10).repeat(piece),
    );
    const whole = all.join('');
    const stream = toldAll([begun(1), ...all.map((text) => says(text))], longest);
    const kept = stream?.parts.map(({ text }) => text).join('') ?? '';
    expect(whole.endsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(longest - 2000, whole.length));
    expect(kept.length).toBeLessThanOrEqual(3 * longest);
    expect(stream?.isCut).toBe(true);
  });
});
